// SPDX-License-Identifier: GPL-3.0-or-later
// The octree of all ranks' particles with one particle per leaf, for counting the interactions of walks through it.
// Cells of few particles are not stored: a walk that opens one divides it by the keys of its particles. Every rank
// holds one range of Morton keys (Warren & Salmon 1993); all ranks know the cells that a border between ranges cuts,
// and the whole cells just below them. In a periodic box walks take the nearest image of everything and, if forces are
// split (TreePM), nothing beyond the cut-off.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/base/separation.hpp"
#include "host/force/force_backend.hpp"
#include "host/particles/particle_store.hpp"
#include "host/tree/octree.hpp"
#include "host/tree/sfc_key.hpp"
#include "host/tree/traverse.hpp"

namespace multiwalk {

/// A particle whose walk is made. `key`: in the tree's cube.
struct CensusTarget {
  Vec3d position;
  std::uint64_t key = 0;
};

/// Needs `bytes_alone` for each of this rank's particles; on several ranks also a copy of their positions, masses and
/// keys (36 bytes), and another 38 bytes while it is sorted.
class CensusTree {
 public:
  static constexpr double bytes_alone = 15;
  static constexpr double bytes_of_copies = 74;  ///< on several ranks, for each of this rank's particles

  /// On one rank: `particles` are in key order of `cube` and must not change. On several: they may have any order, the
  /// cube is the enclosing one of all ranks, and `cube` is not read. Box and cut-off are taken from the law.
  /// Collective.
  CensusTree(const ParticleStore& particles, const Cube& cube, const PairLaw& law, const Communicator& comm);
  CensusTree(const CensusTree&) = delete;
  CensusTree& operator=(const CensusTree&) = delete;

  [[nodiscard]] CensusTarget target(Vec3d position) const;

  /// This rank's share of the walk of the original Barnes & Hut (1986) for one target: calls act(separation from the
  /// target, mass) for every cell with side < theta distance that does not contain the target, and for every particle,
  /// up to the cut-off. The shares of all ranks together are the whole walk.
  template <class Act>
  void walk(const CensusTarget& target, double theta, Act&& act) const;

 private:
  static constexpr std::uint32_t few = 16;  ///< particles of a cell that only walks divide
  static constexpr std::uint32_t no_node = 0xffffffff;

  void share_particles(const ParticleStore& particles, const Communicator& comm);
  void split_top(std::span<const std::uint64_t> border, int rank);
  void gather_top(const Communicator& comm);
  [[nodiscard]] std::uint32_t local_node(const Node& cell, std::uint64_t key) const;
  [[nodiscard]] Multipole moments_within(std::uint32_t first, std::uint32_t count) const;
  [[nodiscard]] double side_of(int level) const { return cube_.side / static_cast<double>(std::uint64_t{1} << level); }
  /// Walks through an opened cell of `level` that is not divided in the local tree.
  template <class Act>
  void walk_within(const CensusTarget& target, double theta, std::uint32_t first, std::uint32_t count, int level,
                   Act& act) const;
  [[nodiscard]] Vec3d to(const CensusTarget& target, Vec3d source) const {
    return separation(target.position, source, period_);
  }
  /// Whether the walk opens a cell; cells that are not opened act only within the cut-off.
  [[nodiscard]] bool opens(const CensusTarget& target, double theta, Vec3d centre_of_mass, double side,
                           std::uint64_t key, int level) const;
  template <class Act>
  void act_within_cutoff(const CensusTarget& target, Vec3d source, float mass, Act& act) const {
    const Vec3d d = to(target, source);
    if (norm2(d) <= cutoff_ * cutoff_) act(d, mass);
  }

  Cube cube_;
  double period_;         ///< 0: vacuum
  double cutoff_;         ///< infinite if there is none
  bool root_ = true;      ///< this rank counts for the cut cells
  ParticleStore copies_;  ///< on several ranks: positions, masses and keys of this range
  Octree local_;
  // Cells down to those that no border cuts. `first` and `count` of a leaf are this rank's particles in it.
  std::vector<Node> top_;
  std::vector<std::uint32_t> top_node_;  ///< where the local tree continues; no_node: within a leaf
  std::vector<std::uint64_t> top_key_;
  std::vector<Multipole> top_multipole_;
};

template <class Act>
void CensusTree::walk(const CensusTarget& target, double theta, Act&& act) const {
  const TreeView tree = local_.view();
  const auto act_on = [&](const Multipole& cell) { act_within_cutoff(target, cell.centre_of_mass, cell.mass, act); };
  const auto open = [&](std::uint32_t n) {
    const Node& node = tree.node[n];
    return opens(target, theta, tree.multipole[n].centre_of_mass, tree.side(n), tree.key[node.first], node.level);
  };
  const auto act_cell = [&](std::uint32_t n) { act_on(tree.multipole[n]); };
  const auto act_leaf = [&](std::uint32_t n) {
    const Node& leaf = tree.node[n];
    walk_within(target, theta, leaf.first, leaf.count, leaf.level, act);
  };
  const auto open_top = [&](std::uint32_t n) {
    const Node& cell = top_[n];
    if (cell.leaf()) return true;
    return opens(target, theta, top_multipole_[n].centre_of_mass, side_of(cell.level), top_key_[n], cell.level);
  };
  const auto act_top = [&](std::uint32_t n) {
    if (root_) act_on(top_multipole_[n]);
  };
  const auto go_on = [&](std::uint32_t n) {
    const Node& cell = top_[n];
    if (cell.count == 0) return;
    if (top_node_[n] != no_node) {
      traverse(tree.node, open, act_cell, act_leaf, top_node_[n]);
      return;
    }
    const Multipole whole = moments_within(cell.first, cell.count);
    if (opens(target, theta, whole.centre_of_mass, side_of(cell.level), tree.key[cell.first], cell.level)) {
      walk_within(target, theta, cell.first, cell.count, cell.level, act);
    } else {
      act_on(whole);
    }
  };
  traverse(top_, open_top, act_top, go_on);
}

template <class Act>
void CensusTree::walk_within(const CensusTarget& target, double theta, std::uint32_t first, std::uint32_t count,
                             int level, Act& act) const {
  const TreeView tree = local_.view();
  const std::uint32_t end = first + count;
  if (count == 1 || level == key_levels) {
    for (std::uint32_t i = first; i < end; ++i) act_within_cutoff(target, tree.position[i], tree.mass[i], act);
    return;
  }
  for (std::uint32_t from = first, to = first; from < end; from = to) {
    while (to < end && child_digit(tree.key[to], level) == child_digit(tree.key[from], level)) ++to;
    const Multipole cell = moments_within(from, to - from);
    if (opens(target, theta, cell.centre_of_mass, side_of(level + 1), tree.key[from], level + 1)) {
      walk_within(target, theta, from, to - from, level + 1, act);
    } else {
      act_within_cutoff(target, cell.centre_of_mass, cell.mass, act);
    }
  }
}

inline bool CensusTree::opens(const CensusTarget& target, double theta, Vec3d centre_of_mass, double side,
                              std::uint64_t key, int level) const {
  const double distance2 = norm2(to(target, centre_of_mass));
  const double reach = cutoff_ + std::sqrt(3.0) * side;
  if (distance2 > reach * reach) return false;
  if (side * side >= theta * theta * distance2) return true;
  // Only a cell this close can contain the target.
  const bool near = distance2 < 3.1 * side * side;
  return near && (key ^ target.key) >> 3 * (key_levels - level) == 0;
}

}  // namespace multiwalk
