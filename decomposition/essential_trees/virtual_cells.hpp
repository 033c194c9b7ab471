// SPDX-License-Identifier: GPL-3.0-or-later
// Cells cut by faces between ranks that are all in this process: the facts that SharedCells learns from messages are
// found from the particles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/essential_trees/shared_cells.hpp"
#include "host/base/box.hpp"
#include "host/force/source_trees.hpp"

namespace multiwalk {

/// Particles by rank, each rank's by key.
struct RankedParticles {
  std::vector<std::uint32_t> index;  ///< (N) in the store
  std::vector<std::uint64_t> key;    ///< (N)
  std::vector<std::size_t> first;    ///< (ranks + 1)
  std::vector<Box> box;              ///< (ranks) tight
};

/// The pieces that one rank would have received and sent.
struct VirtualShare {
  std::vector<CellMatch> matches;  ///< by node and rank
  std::uint64_t pieces_sent = 0;
  std::uint64_t messages = 0;
};

class VirtualCells {
 public:
  /// `ranked` must outlive this. `first_level`: as in SharedCells.
  VirtualCells(const RankedParticles& ranked, std::span<const Vec3d> position, std::span<const float> mass,
               const Cube& cube, std::uint32_t leaf_size, int first_level);

  /// The share of one rank with its tree. Pieces have no second moments, since acceptance does not need them.
  [[nodiscard]] VirtualShare of(int rank, const TreeView& tree) const;

 private:
  /// Another rank whose box reaches into a cell, and its particles there.
  struct Other {
    int rank;
    std::size_t first, end;
    bool has_node;  ///< its tree has this cell
  };
  struct Sums {
    double mass = 0;
    Vec3d moment;
  };

  [[nodiscard]] std::vector<Other> others_in(int rank, const TreeView& tree, std::uint32_t n) const;
  void descend(const TreeView& tree, std::uint32_t n, const std::vector<Other>& others, VirtualShare& share) const;
  [[nodiscard]] Multipole moments(std::size_t first, std::size_t end) const;

  const RankedParticles& ranked_;
  Cube cube_;
  std::uint32_t leaf_size_;
  int first_level_;
  std::vector<Sums> before_;           ///< (N + 1) sums over the particles before each, in the order of ranks
  std::vector<std::vector<int>> met_;  ///< (cells of the first level, by key) ranks whose boxes overlap it
};

}  // namespace multiwalk
