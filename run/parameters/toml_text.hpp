// SPDX-License-Identifier: GPL-3.0-or-later
// What is looked at in a TOML text before it is parsed: keys and brackets decide how deeply tables are nested, and
// trees that are too deep exhaust the stack; letters at unusual places lead the parser into undefined behaviour.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace multiwalk {

/// Throws InputError, with name:line, if a key has more than 32 parts or brackets are nested more than 32 deep. Text
/// that is not TOML passes.
void refuse_deep_toml(std::string_view text, const std::string& name);

/// The line, from 1, of the first character beyond ASCII that stands outside strings and comments, or after a backslash
/// and white space in a multi-line string; 0 if there is none. A byte order mark may come first.
std::ptrdiff_t line_of_stray_letter(std::string_view text);

}  // namespace multiwalk
