// SPDX-License-Identifier: GPL-3.0-or-later
// Machine-readable results of a command.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace multiwalk {

/// Whether a text is UTF-8, which JSON must be.
bool is_utf8(const std::string& text);
/// As JSON text; bytes that are not UTF-8 (in names of files) become replacement characters.
std::string json_text(const nlohmann::json& value, int indent = -1);
/// For people: a text as it is, anything else as JSON.
std::string plain_text(const nlohmann::json& value);

struct ErrorPercentiles;

/// Writes `value` to `path` (atomically); "-" is standard output, empty does nothing.
void write_json(const std::string& path, const nlohmann::json& value);

/// {median, p90, p99, max, sample, median_interval, p99_interval}: p99 is null and has no interval below 1000
/// particles. Intervals are [low, high] at 95% confidence, and absent if unknown.
nlohmann::json percentiles_json(const ErrorPercentiles& e);

/// The percentiles as a line for people, with the interval of the 99% error or, if that is unknown, of the median.
std::string percentiles_text(const nlohmann::json& percentiles);
/// "1.2e-03 to 1.5e-03" for the interval under `key`; empty if there is none.
std::string interval_text(const nlohmann::json& percentiles, const char* key);
/// A column of 30 characters: the 99% error with its interval or, if that is unknown, the median's interval.
std::string tail_column(const nlohmann::json& e);

}  // namespace multiwalk
