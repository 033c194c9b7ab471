// Machine-readable results of a command.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace multiwalk {

/// Writes `json` to `path` (atomically); "-" is standard output, empty does nothing.
void write_json(const std::string& path, const nlohmann::json& json);

}  // namespace multiwalk
