// SPDX-License-Identifier: GPL-3.0-or-later
// Machine-readable results of a command.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace multiwalk {

/// Whether a text is UTF-8, which JSON must be.
bool is_utf8(const std::string& text);
/// As JSON text; what is no UTF-8 (names of files) with replacement characters.
std::string json_text(const nlohmann::json& json, int indent = -1);

struct ErrorPercentiles;

/// Writes `json` to `path` (atomically); "-" is standard output, empty does nothing.
void write_json(const std::string& path, const nlohmann::json& json);

/// {median, p90, p99, max, sample, p99_interval}: p99 null and without its 95 % interval below 1000 particles.
nlohmann::json percentiles_json(const ErrorPercentiles& e);

/// The same as a line for people.
std::string percentiles_text(const nlohmann::json& percentiles);

}  // namespace multiwalk
