// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a report.json, which anybody may have written or changed, has the shape that this program writes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace multiwalk {

/// Throws an InputError that names the first key that is missing or of another kind. Keys that this program does not
/// know are ignored; numbers may be null. `path`: the name of the file in the message.
void check_report(const nlohmann::json& report, const std::string& path);

}  // namespace multiwalk
