// SPDX-License-Identifier: GPL-3.0-or-later
// Writes merger trees in GADGET-4's layout from the files of all tree outputs; ytree opens them.
#pragma once

#include <span>
#include <string>

namespace multiwalk {

/// Writes Header, Parameters, TreeTable (Length, StartOffset, TreeID), TreeTimes (Time, Redshift) and TreeHalos:
/// links (TreeDescendant, TreeFirstProgenitor, TreeFirstHaloInFOFgroup, ...: indices in the tree, -1: none), SnapNum
/// (number of the tree output), SubhaloNr and GroupNr (rows of its file), the fields of the subhalos in Mpc/h, 1e10
/// Msun/h and km/s, and Group_M_Crit200 (of the first subhalo of a group; 0 for others). The trees are those of
/// link_trees. `subhalo_files`: by increasing time. Memory: about 550 bytes for each subhalo of all outputs. Replaces
/// `path` when everything is written. Throws InputError or Error.
void write_tree_file(const std::string& path, std::span<const std::string> subhalo_files);

/// Writes the mass accretion histories of the 100 most massive halos of the last output as a table: halo, output, a,
/// redshift, particles, mass, v_max, x, y, z along each main branch, from the last output back. `tree_file`: written by
/// write_tree_file. Replaces `path`. Throws InputError or Error.
void write_main_branches(const std::string& path, const std::string& tree_file);

}  // namespace multiwalk
