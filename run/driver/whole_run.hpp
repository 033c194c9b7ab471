// SPDX-License-Identifier: GPL-3.0-or-later
// From a request to a finished run with its report, for the command line and for programs that call it.
#pragma once

#include <memory>
#include <optional>

#include "decomposition/ranks/communicator.hpp"
#include "run/driver/run.hpp"
#include "run/machine/exit_code.hpp"
#include "run/records/progress.hpp"
#include "run/setup/run_request.hpp"

namespace multiwalk {

/// A run with the lock of its directory, its log and its particles, ready for the first forces.
class WholeRun {
 public:
  /// Throws SharedError before anything is written if the request cannot be carried out. Collective.
  WholeRun(const RunRequest& request, const Communicator& comm);
  WholeRun(const WholeRun&) = delete;
  WholeRun& operator=(const WholeRun&) = delete;

  [[nodiscard]] Run& run() { return *run_; }

 private:
  RunDirectoryLock lock_;
  std::unique_ptr<Progress> progress_;
  std::optional<Run> run_;
};

/// Makes or continues a run to its end. Throws as WholeRun does. Collective.
ExitCode run_simulation(const RunRequest& request, const Communicator& comm = {});

}  // namespace multiwalk
