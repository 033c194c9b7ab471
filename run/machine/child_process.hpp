// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace multiwalk {

/// Runs a program that is looked for in PATH, with these words after its name, and waits for it. Its exit code, 128 +
/// the number of a signal that ended it, or nothing if there is no such program. Throws Error if it cannot be started
/// for another reason.
std::optional<int> run_child(const std::vector<std::string>& words);

/// The words as a line for a shell.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace multiwalk
