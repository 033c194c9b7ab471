// SPDX-License-Identifier: GPL-3.0-or-later
// The request that the options of `multiwalk run` make.
#pragma once

#include <string>
#include <vector>

#include "run/records/progress.hpp"

namespace multiwalk {

struct RunRequest {
  std::string parameter_file;         ///< may be empty with `restart`
  std::vector<std::string> settings;  ///< "section.key=value"
  std::string restart;                ///< directory of the run to continue; empty: a new run
  bool overwrite = false;
  ProgressStyle progress = ProgressStyle::automatic;
};

}  // namespace multiwalk
