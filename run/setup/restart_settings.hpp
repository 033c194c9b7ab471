// SPDX-License-Identifier: GPL-3.0-or-later
// Compares the settings of a restart with those the run was started with.
#pragma once

#include <optional>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "run/parameters/parameters.hpp"
#include "run/setup/run_request.hpp"

namespace multiwalk {

/// Makes the path of the table of linear power absolute, so that a restart from another folder finds it; if it is not
/// there, but a table of the same name that the run had before, that one is meant.
void settle_table(Parameters& now, const Parameters& then);

/// Whether [model], [cosmology] and [ic], which a restart may not change, are the same.
bool is_same_universe(const Parameters& now, const Parameters& then);

/// Two warnings, either of which may be empty, as one.
std::string joined(const std::string& first, const std::string& second);

/// The settings that say when a run ends, or all the others.
enum class SettingsOf { end, rest };

/// "KEY from OLD to NEW, ..." of all such settings that differ but run.directory; empty if none does.
std::string changed_settings(const Parameters& then, const Parameters& now, SettingsOf which);

/// A warning about settings, but those of the run's end, that differ from those of the checkpoint or of
/// parameters.toml: the checkpoint may belong to another run, or to this one before its settings were changed.
std::string settings_warning(const Parameters& then, const std::optional<Parameters>& echoed, const Parameters& now);

/// If the request continues a finished run to no later time, a line that says so; otherwise empty, also for a finished
/// run without a checkpoint. Collective. Throws SharedError.
std::string already_finished(const RunRequest& request, const Communicator& comm);

}  // namespace multiwalk
