// SPDX-License-Identifier: GPL-3.0-or-later
// JSON from sources that are not trusted.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "host/base/error.hpp"

namespace multiwalk {

/// Throws InputError, with `where` as the name of the text, if it is not JSON, naming the byte, or if it is nested more
/// deeply than anything this program writes: handling such values would exhaust the stack.
nlohmann::json parse_json(const std::string& text, const std::string& where);

/// parse_json for a whole file.
nlohmann::json read_json(const std::string& path);

/// "WHERE lacks KEY: ...", or that it has a value of a type that this program does not write.
std::string values_refusal(const std::string& where, const nlohmann::json::exception& error);

/// Calls take(), which takes values out of JSON that was read, and returns its result. Every reader of such JSON goes
/// through it: nlohmann::json's exceptions become InputError.
template <class Take>
decltype(auto) values_from(const std::string& where, Take&& take) {
  try {
    return std::forward<Take>(take)();
  } catch (const nlohmann::json::exception& error) {
    throw InputError(values_refusal(where, error));
  }
}

/// The object with a further key, the checksum of its other values; is_sealed: whether it still has it.
nlohmann::json sealed(nlohmann::json object);
bool is_sealed(const nlohmann::json& object);

/// Throws nlohmann::json's exception if the value is not a whole number or is negative: the library's own conversion of
/// large numbers is undefined.
std::uint64_t whole_number(const nlohmann::json& value);

}  // namespace multiwalk
