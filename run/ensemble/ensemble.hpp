// SPDX-License-Identifier: GPL-3.0-or-later
// Many realisations of one parameter file, one after the other, and what they show together. Several programs may work
// in one directory. Everything is known from the files there, so that a program that was killed at any time can be
// started again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "run/ensemble/manifest.hpp"
#include "run/machine/exit_code.hpp"
#include "run/setup/run_request.hpp"

namespace multiwalk {

/// The options of `multiwalk ensemble`.
struct EnsembleRequest {
  std::string directory;
  std::string parameter_file;         ///< may be empty with collect_only
  std::vector<std::string> settings;  ///< "section.key=value"
  std::string seeds;                  ///< as parse_seeds takes them
  bool paired = false;
  std::optional<std::size_t> task;  ///< make only the realisation of this number, from 0
  bool collect_only = false;
  ProgressStyle progress = ProgressStyle::automatic;
};

/// Makes or continues one run on all ranks, as `multiwalk run`.
using MakeRun = std::function<ExitCode(const RunRequest&)>;

/// Makes the realisations that are not finished, then writes ensemble.json, ensemble.hdf5 and ensemble.html; a task
/// writes the last two only if its realisation was the last one missing. Failed realisations do not stop the others.
/// Waits at the end for those on which other programs work. Returns `stopped` if a run or the waiting was stopped.
/// Collective. Throws SharedError, at the end also if a realisation failed.
ExitCode make_ensemble(const EnsembleRequest& request, const MakeRun& make_run, const Communicator& comm);

}  // namespace multiwalk
