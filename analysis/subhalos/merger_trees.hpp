// SPDX-License-Identifier: GPL-3.0-or-later
// Merger trees from the subhalos of many outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/subhalos/track.hpp"

namespace multiwalk {

/// One output: its subhalos and the tracks that ended since the one before.
struct TreeOutput {
  struct Halo {
    std::int64_t track = none;
    double mass = 0;
  };
  std::vector<Halo> halos;
  std::vector<TrackEnd> ends;
};

/// A halo in its tree; halos of the same tree are named by their places in it, from 0.
struct TreeNode {
  std::size_t output = 0, row = 0;  ///< in TreeOutput::halos
  std::int64_t descendant = none;
  std::int64_t first_progenitor = none;  ///< of the same track or, without one, the most massive
  std::int64_t next_progenitor = none;   ///< of the same descendant, by falling mass
};

struct MergerTrees {
  std::vector<TreeNode>
      node;  ///< tree by tree; each begins with its last halo, and a halo's first progenitor follows it
  std::vector<std::size_t> first{0};  ///< (trees + 1)

  [[nodiscard]] std::size_t size() const { return first.size() - 1; }
};

/// A halo's descendant is the next of its track or, after the end of that, the first halo from then on of the track
/// that has its particles. Halos without one are roots: of the last output first, by falling mass.
MergerTrees link_trees(std::span<const TreeOutput> outputs);

}  // namespace multiwalk
