// SPDX-License-Identifier: GPL-3.0-or-later
// Bounds on a TOML text before it is parsed: its tables lie within each other as its keys and brackets say, and trees
// that are too deep exhaust the stack.
#pragma once

#include <string>
#include <string_view>

namespace multiwalk {

/// Throws InputError, with name:line, if a key has more than 32 parts or brackets lie more than 32 deep within each
/// other. What is no TOML passes.
void refuse_deep_toml(std::string_view text, const std::string& name);

}  // namespace multiwalk
