// SPDX-License-Identifier: GPL-3.0-or-later
// sizes.json: the sizes of groups and leaves that a run found fastest, for the next run in its directory.
#pragma once

#include <optional>
#include <string>

#include "host/solver/size_tuner.hpp"

namespace multiwalk {

/// Sizes found for the same machine and problem, in the words of Simulation::sizes_are_for; none if the file is
/// missing or was written for something else. Throws InputError if it is damaged.
std::optional<TreeSizes> read_tree_sizes(const std::string& directory, const std::string& found_for);

void write_tree_sizes(const std::string& directory, const std::string& found_for, TreeSizes sizes);

}  // namespace multiwalk
