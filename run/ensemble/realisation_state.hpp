// SPDX-License-Identifier: GPL-3.0-or-later
// How far a realisation is, judged by its directory alone: programs need to remember nothing else.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "run/ensemble/realisation.hpp"

namespace multiwalk {

enum class Progression {
  waiting,     ///< has no directory, or an empty one
  unfinished,  ///< running or interrupted
  failed,      ///< ended with an error; the next program tries again
  finished     ///< its report says so: all its files are there
};

/// "waiting", "unfinished", ...
std::string_view progression_name(Progression progression);

struct RealisationState {
  Realisation realisation;
  Progression progression = Progression::waiting;
  double seconds = 0;                 ///< wall time, restarts included
  std::optional<double> joules = {};  ///< of the devices
  std::optional<double> cost = {};    ///< hourly price times wall time, in the currency of the parameters
  std::string error = {};             ///< of a failed one

  [[nodiscard]] bool finished() const { return progression == Progression::finished; }
};

/// Reads the directory of a realisation within that of the ensemble. A damaged report counts as none. Throws InputError
/// if the run in it is not this realisation, if its report cannot be read, or if another version of the program wrote
/// the report and this one does not understand it.
RealisationState look_at(const std::string& ensemble, const Realisation& realisation);

/// The report of a finished run. Throws InputError if it cannot be read or another program wrote it.
nlohmann::json read_report(const std::string& ensemble, const Realisation& realisation);

/// Notes the error line of a realisation beside its directory, as NAME.failed.
void note_failure(const std::string& ensemble, const Realisation& realisation, const std::string& error);
/// Removes that note.
void forget_failure(const std::string& ensemble, const Realisation& realisation);

}  // namespace multiwalk
