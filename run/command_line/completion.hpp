// SPDX-License-Identifier: GPL-3.0-or-later
// Completion by the shell, made from the commands and options that the program declares.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace multiwalk {

enum class Shell { bash, zsh };

/// A script for the shell to source. Completes commands, options, parameters after --set, and files.
std::string completion_script(const CLI::App& program, Shell shell);

/// Adds `multiwalk completion SHELL`. `program` holds all commands once it is parsed.
void add_completion_command(CLI::App& program);

}  // namespace multiwalk
