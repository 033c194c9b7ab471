// SPDX-License-Identifier: GPL-3.0-or-later
// A page with the picture of one merger tree and the mass accretion histories of the largest halos.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace multiwalk {

/// Data of the page from a file of merger trees (tree_file.hpp): what descends to the first root, as its main branch
/// and the up to 14 other branches that reached the largest masses, and the main branches of the first ten roots.
/// Throws InputError.
nlohmann::json tree_page_data(const std::string& tree_file);

/// Writes the page. Throws Error.
void write_tree_page(const std::string& path, const std::string& tree_file);

}  // namespace multiwalk
