// SPDX-License-Identifier: GPL-3.0-or-later
// JSON from sources that are not trusted.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace multiwalk {

/// Throws InputError, with `where` as the name of the text, if it is not JSON, naming the byte, or if it is nested more
/// deeply than anything this program writes: handling such values would exhaust the stack.
nlohmann::json parse_json(const std::string& text, const std::string& where);

/// parse_json for a whole file.
nlohmann::json read_json(const std::string& path);

/// Throws nlohmann::json's exception if the value is not a whole number or is negative: the library's own conversion of
/// large numbers is undefined.
std::uint64_t whole_number(const nlohmann::json& value);

}  // namespace multiwalk
