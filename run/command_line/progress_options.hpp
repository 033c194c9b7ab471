// SPDX-License-Identifier: GPL-3.0-or-later
// The options of commands that run simulations: what they show while they run.
#pragma once

#include "run/records/progress.hpp"

namespace CLI {
class App;
}

namespace multiwalk {

/// Adds --progress and --quiet, which set `style`; it must outlive the command.
void add_progress_options(CLI::App& command, ProgressStyle& style);

}  // namespace multiwalk
