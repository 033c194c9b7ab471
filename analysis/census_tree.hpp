// The octree of all ranks' particles with one particle in a leaf, for counting what walks of it would make.
// Every rank holds one range of Morton keys of it (Warren & Salmon 1993); the cells that a border between ranges cuts,
// and the whole cells just below them, are known to all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/communicator.hpp"
#include "host/particles/particle_store.hpp"
#include "host/tree/octree.hpp"
#include "host/tree/sfc_key.hpp"
#include "host/tree/traverse.hpp"

namespace multiwalk {

/// One whose walk is made. `key` in the tree's cube.
struct CensusTarget {
  Vec3d position;
  std::uint64_t key = 0;
};

/// Needs, while it lives, about 160 bytes for each of this rank's particles; over several ranks a copy of their
/// positions, masses and keys (36 bytes) more, and 76 for a moment.
class CensusTree {
 public:
  /// One rank alone: `particles` are in key order of `cube`, and must stay. Several ranks: in any order, and the cube
  /// is the enclosing one of all of them, `cube` is not read. Collective.
  CensusTree(const ParticleStore& particles, const Cube& cube, const Communicator& comm);
  CensusTree(const CensusTree&) = delete;
  CensusTree& operator=(const CensusTree&) = delete;

  [[nodiscard]] CensusTarget target(Vec3d position) const;

  /// This rank's share of the walk of the original Barnes & Hut (1986) for one target: act(position, mass) for every
  /// cell with side < theta distance that does not hold the target, and for every particle. The shares of all ranks
  /// together are the whole walk.
  template <class Act>
  void walk(const CensusTarget& target, double theta, Act&& act) const;

 private:
  void share_particles(const ParticleStore& particles, const Communicator& comm);
  void split_top(std::span<const std::uint64_t> border, int rank);
  void gather_top(const Communicator& comm);
  [[nodiscard]] std::uint32_t local_node(const Node& cell, std::uint64_t key) const;
  static bool accepts(const CensusTarget& target, double theta, Vec3d centre_of_mass, double side, std::uint64_t key,
                      int level);

  Cube cube_;
  bool root_ = true;      ///< this rank acts for the cut cells
  ParticleStore copies_;  ///< several ranks: this range's positions, masses and keys
  Octree local_;
  // Cells down to those that no border cuts. A leaf's `count` tells whether this rank has particles in it, its `first`
  // where the local tree goes on.
  std::vector<Node> top_;
  std::vector<std::uint64_t> top_key_;
  std::vector<Multipole> top_multipole_;
};

template <class Act>
void CensusTree::walk(const CensusTarget& target, double theta, Act&& act) const {
  const TreeView tree = local_.view();
  const auto open = [&](std::uint32_t n) {
    const Node& node = tree.node[n];
    return !accepts(target, theta, tree.multipole[n].centre_of_mass, tree.side(n), tree.key[node.first], node.level);
  };
  const auto act_cell = [&](std::uint32_t n) { act(tree.multipole[n].centre_of_mass, tree.multipole[n].mass); };
  const auto act_leaf = [&](std::uint32_t n) {
    const Node& leaf = tree.node[n];
    for (std::uint32_t i = leaf.first; i < leaf.first + leaf.count; ++i) act(tree.position[i], tree.mass[i]);
  };
  const auto open_top = [&](std::uint32_t n) {
    const Node& cell = top_[n];
    if (cell.leaf()) return true;
    const double side = cube_.side / static_cast<double>(std::uint64_t{1} << cell.level);
    return !accepts(target, theta, top_multipole_[n].centre_of_mass, side, top_key_[n], cell.level);
  };
  const auto act_top = [&](std::uint32_t n) {
    if (root_) act(top_multipole_[n].centre_of_mass, top_multipole_[n].mass);
  };
  const auto go_on = [&](std::uint32_t n) {
    if (top_[n].count > 0) traverse(tree.node, open, act_cell, act_leaf, top_[n].first);
  };
  traverse(top_, open_top, act_top, go_on);
}

inline bool CensusTree::accepts(const CensusTarget& target, double theta, Vec3d centre_of_mass, double side,
                                std::uint64_t key, int level) {
  const double distance2 = norm2(centre_of_mass - target.position);
  if (side * side >= theta * theta * distance2) return false;
  // Only a cell this near can hold the target.
  const bool near = distance2 < 3.1 * side * side;
  return !near || (key ^ target.key) >> 3 * (key_levels - level) != 0;
}

}  // namespace multiwalk
