// SPDX-License-Identifier: GPL-3.0-or-later
// The request for a run: the options of `multiwalk run`, and what a calling program adds.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "run/parameters/parameters.hpp"
#include "run/records/progress.hpp"

namespace multiwalk {

struct RunRequest {
  std::string parameter_file;         ///< may be empty with `restart`
  std::vector<std::string> settings;  ///< "section.key=value"
  std::string restart;                ///< directory of the run to continue; empty: a new run
  bool overwrite = false;
  ProgressStyle progress = ProgressStyle::automatic;

  std::optional<Parameters> parameters = {};         ///< in place of a file and settings, for a new run
  bool catch_signals = true;                         ///< the run ends with a checkpoint; false: left to the caller
  std::function<void(const std::string&)> say = {};  ///< shows text on rank 0; empty: standard output
};

}  // namespace multiwalk
