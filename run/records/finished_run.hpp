// SPDX-License-Identifier: GPL-3.0-or-later
// What the report of a run says about its end.
#pragma once

#include <nlohmann/json.hpp>

namespace multiwalk {

/// Whether the last output in report.json is the one at the end of the run, which every run makes. Throws
/// nlohmann::json's exception if an entry is missing or of another type.
bool is_finished(const nlohmann::json& report);

/// Whether the run was told to end without a checkpoint (run.final_checkpoint). Throws as is_finished.
bool ends_without_checkpoint(const nlohmann::json& report);

}  // namespace multiwalk
