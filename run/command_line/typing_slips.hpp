// SPDX-License-Identifier: GPL-3.0-or-later
// Advice on commands and options that do not exist.
#pragma once

#include <span>
#include <string>

namespace CLI {
class App;
}

namespace multiwalk {

/// A message about the first word that is not a command or option of `app`, with the nearest valid one; empty if there
/// is no such word. `words` are those after the program's name.
std::string advice_on_slip(const CLI::App& app, std::span<const char* const> words);

}  // namespace multiwalk
