// SPDX-License-Identifier: GPL-3.0-or-later
// Merger trees from the subhalos of many outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/subhalos/track.hpp"

namespace multiwalk {

/// One output: its subhalos, and the tracks that ended since the previous output.
struct TreeOutput {
  struct Halo {
    std::int64_t track = none;
    double mass = 0;
    std::int64_t group = none;  ///< none: alone
  };
  std::vector<Halo> halos;  ///< those of a group one after another, by rank
  std::vector<TrackEnd> ends;
};

/// A halo in its tree. It refers to other halos of the tree by their positions in the tree, counted from 0.
struct TreeNode {
  std::size_t output = 0, row = 0;  ///< in TreeOutput::halos
  std::int64_t descendant = none;
  std::int64_t first_progenitor = none;  ///< of the same track or, if there is none, the most massive
  std::int64_t next_progenitor = none;   ///< of the same descendant, by decreasing mass
  std::int64_t first_in_group = none, next_in_group = none;  ///< of the same output, by rank
};

struct MergerTrees {
  std::vector<TreeNode> node;         ///< tree by tree, in a tree root by root; a first progenitor follows its halo
  std::vector<std::size_t> first{0};  ///< (trees + 1)

  [[nodiscard]] std::size_t size() const { return first.size() - 1; }
};

/// The descendant of a halo is the next halo of its track. After the end of the track, it is the next halo of the track
/// that has taken over its particles. Halos without a descendant are roots; they are ordered from the last output
/// back, and by decreasing mass within an output. A tree holds everything that descent or a group at any output
/// connects; trees are in the order of their first roots.
MergerTrees link_trees(std::span<const TreeOutput> outputs);

}  // namespace multiwalk
