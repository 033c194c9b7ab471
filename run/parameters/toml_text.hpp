// SPDX-License-Identifier: GPL-3.0-or-later
// Bounds on a TOML text before it is parsed: keys and brackets decide how deeply tables are nested, and trees that are
// too deep exhaust the stack.
#pragma once

#include <string>
#include <string_view>

namespace multiwalk {

/// Throws InputError, with name:line, if a key has more than 32 parts or brackets are nested more than 32 deep. Text
/// that is not TOML passes.
void refuse_deep_toml(std::string_view text, const std::string& name);

}  // namespace multiwalk
