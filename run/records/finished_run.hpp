// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a run has reached its last time and written all its files: its report says so, the last file that a run
// writes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace multiwalk {

/// What the report itself says. Throws nlohmann::json's exception if it is no report.
bool is_finished(const nlohmann::json& report);

/// The last time of the finished run in the directory: a of a comoving one, else t. None if it is not finished or its
/// report is missing or damaged.
struct RunEnd {
  double time;
  bool comoving;
};
std::optional<RunEnd> end_of_finished_run(const std::string& directory);

/// To be called before a finished run continues to a later time: its report then no longer says that it is finished.
/// Throws Error.
void begin_again(const std::string& directory);

}  // namespace multiwalk
