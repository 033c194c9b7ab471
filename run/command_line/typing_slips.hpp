// SPDX-License-Identifier: GPL-3.0-or-later
// Advice on commands and options that do not exist.
#pragma once

#include <span>
#include <string>

namespace CLI {
class App;
}

namespace multiwalk {

/// What is wrong with the first word that is no command or option of `app`, and the nearest that is one; empty if there
/// is no such word. `words` are those after the program's name.
std::string advice_on_slip(const CLI::App& app, std::span<const char* const> words);

}  // namespace multiwalk
