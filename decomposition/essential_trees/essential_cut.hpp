// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a tree that another domain needs, selected by the walk's own acceptance criterion (Warren & Salmon 1993;
// Makino 2004). No messages here.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "host/base/box.hpp"
#include "host/base/large_memory.hpp"
#include "host/force/source_trees.hpp"

namespace multiwalk {

/// A box around some of a domain's particles, whose walks will read the cut.
struct TargetBox {
  Box box;
  double scale = 0;  ///< relative criterion: the largest scale of its groups
};

/// A node as it is sent.
struct EssentialNode {
  Vec3d centre_of_mass;
  float mass = 0;
  float xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  float radius = 0;         ///< opening radius; infinite: always opened; negative: accepted but not listed
  std::uint32_t first = 0;  ///< first child or first particle, counted within the cut
  std::uint32_t count = 0;  ///< leaf: particles; inner node: inner_count(); a cell without contents: 0

  [[nodiscard]] bool inner() const { return (count & 0x80000000U) != 0; }
  [[nodiscard]] std::uint32_t children() const { return count & 0xffU; }
  [[nodiscard]] std::uint32_t level() const { return count >> 8 & 0xffU; }
};
/// The count of an inner node; level 0 if its cell is not one of the cube's.
constexpr std::uint32_t inner_count(std::uint32_t children, std::uint32_t level) {
  return 0x80000000U | level << 8 | children;
}
static_assert(sizeof(EssentialNode) == 64);

/// Relative to its leaf's centre of mass, which keeps single precision exact to 1e-7 of the leaf's size.
struct EssentialParticle {
  Vec3f offset;
  float mass = 0;
};
static_assert(sizeof(EssentialParticle) == 16);

/// Owns. Node 0 is the root; the children of a node are contiguous.
struct EssentialCut {
  LargeArray<EssentialNode> node;
  LargeArray<EssentialParticle> particle;

  [[nodiscard]] std::uint64_t bytes() const {
    return node.size() * sizeof(EssentialNode) + particle.size() * sizeof(EssentialParticle);
  }
};

/// How walks accept cells and how far they reach.
struct WalkRules {
  OpeningCriterion criterion;
  double gravitational_constant = 1;
  double period = INFINITY;  ///< side of the box; infinite: vacuum
  double cutoff = INFINITY;  ///< of pair forces
  double range = INFINITY;   ///< largest distance from a walk's box to any part of a listed cell

  WalkRules() = default;
  WalkRules(const Cube& cube, const WalkSettings& walks);
};

/// Boxes that contain all local groups: one for the groups that begin in each of the largest cells with at most 1/parts
/// of the particles. Empty for an empty tree.
std::vector<TargetBox> target_boxes(const LocalTree& local, std::uint32_t parts);

/// The whole domain as one target.
TargetBox enclosing_target(std::span<const TargetBox> targets);

/// All local particles as one cell without contents; its side is the longest of `box` around them.
EssentialNode essential_root(const LocalTree& local, const Box& box);

/// The part of this domain that the walks of another one read.
enum class Need { nothing, cell, tree };

/// The need of all walks inside the target's box; `root`: the domain's particles as one cell; `box`: around them.
Need need_of(const TargetBox& target, const EssentialNode& root, const Box& box, const WalkRules& rules);

/// Cuts trees for one domain after the other in the same working memory.
class EssentialCutter {
 public:
  /// The part of the local tree that walks inside the boxes read. Threads share the work; the result does not depend on
  /// their number. `result` is replaced and its memory reused.
  void cut(const LocalTree& local, std::span<const TargetBox> targets, EssentialCut& result);

 private:
  std::vector<EssentialCut> of_thread_;
};

/// A single cut.
EssentialCut cut_essential_tree(const LocalTree& local, std::span<const TargetBox> targets);

}  // namespace multiwalk
