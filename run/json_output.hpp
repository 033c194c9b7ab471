// Machine-readable results of a command.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace multiwalk {

struct ErrorPercentiles;

/// Writes `json` to `path` (atomically); "-" is standard output, empty does nothing.
void write_json(const std::string& path, const nlohmann::json& json);

/// {median, p90, p99, max, sample}
nlohmann::json percentiles_json(const ErrorPercentiles& e);

}  // namespace multiwalk
