// SPDX-License-Identifier: GPL-3.0-or-later
// TOML texts as toml++ can read them: keys and brackets decide how deeply tables are nested, and trees that are too
// deep exhaust the stack; letters beyond ASCII at unusual places lead it into undefined behaviour.
#pragma once

#include <string>
#include <string_view>

#include "run/parameters/toml.hpp"

namespace multiwalk {

/// Throws InputError, with name:line, if a key has more than 32 parts or brackets are nested more than 32 deep. Text
/// that is not TOML passes.
void refuse_deep_toml(std::string_view text, const std::string& name);

/// As toml::parse. Throws InputError, with name:line, where a letter beyond ASCII is outside strings and comments, or
/// after a backslash that continues a line.
toml::table parse_toml(const std::string& text, const std::string& name);

}  // namespace multiwalk
