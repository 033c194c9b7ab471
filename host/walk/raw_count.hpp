// SPDX-License-Identifier: GPL-3.0-or-later
// Exact counts of the interactions evaluated.
#pragma once

#include <cstdint>

#include "host/walk/walk_batch.hpp"

namespace multiwalk {

/// Sum over walks of targets x list length, without padding; own pairs (i = j) count, and so does a cell. A group is
/// one walk, however many trees it walks through.
struct RawCount {
  std::uint64_t particle_pairs = 0;
  std::uint64_t cell_pairs = 0;
  std::uint64_t walks = 0;
  std::uint64_t expansions = 0;  ///< cells that act on a walk's targets through an expansion

  [[nodiscard]] std::uint64_t total() const { return particle_pairs + cell_pairs + pairs_of_expansion * expansions; }
  void add(const Walk& walk, bool own_tree = true) {
    particle_pairs += walk.particle_pairs();
    cell_pairs += walk.cell_pairs();
    expansions += walk.expanded_count;
    walks += own_tree ? 1 : 0;
  }
  RawCount& operator+=(const RawCount& other) {
    particle_pairs += other.particle_pairs;
    cell_pairs += other.cell_pairs;
    expansions += other.expansions;
    walks += other.walks;
    return *this;
  }
};

}  // namespace multiwalk
