// SPDX-License-Identifier: GPL-3.0-or-later
// JSON that anybody may have written.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace multiwalk {

/// Throws InputError, in which `where` stands for the text, with the byte at which it is no JSON, or deeper than
/// anything this program writes: what is done with values exhausts the stack.
nlohmann::json parse_json(const std::string& text, const std::string& where);

/// A whole file.
nlohmann::json read_json(const std::string& path);

/// Throws what nlohmann::json throws if it is none, or below 0: its own conversion of any number is undefined for large
/// ones.
std::uint64_t whole_number(const nlohmann::json& value);

}  // namespace multiwalk
