// What another domain needs of a tree, cut out by the walk's own acceptance criterion (Warren & Salmon 1993; Makino
// 2004). No messages here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/base/box.hpp"
#include "host/force/source_trees.hpp"

namespace multiwalk {

/// Targets whose walks will read the cut: a box about some of a domain's particles.
struct TargetBox {
  Box box;
  double scale = 0;  ///< relative criterion: the largest relative_scale of its groups
};

/// A node as it travels: moments, opening radius (squared it is the walk's radius2; strength follows from it), place.
struct EssentialNode {
  Vec3d centre_of_mass;
  float mass = 0;
  float xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  float radius = 0;         ///< of opening; infinite: always opened
  std::uint32_t first = 0;  ///< first child or first particle, counted within the cut
  std::uint32_t count = 0;  ///< inner node: children; leaf: particles; a cell and no more: 0
  bool operator==(const EssentialNode&) const = default;
};
static_assert(sizeof(EssentialNode) == 64);

/// Kinds are told by the count's upper bits.
inline constexpr std::uint32_t inner_node_flag = 0x80000000U;

struct EssentialParticle {
  Vec3d position;
  float mass = 0;
  float unused = 0;
};
static_assert(sizeof(EssentialParticle) == 32);

/// Owns. Node 0 is the root; the children of a node are contiguous.
struct EssentialCut {
  std::vector<EssentialNode> node;
  std::vector<EssentialParticle> particle;
  [[nodiscard]] std::uint64_t bytes() const {
    return node.size() * sizeof(EssentialNode) + particle.size() * sizeof(EssentialParticle);
  }
};

/// At most about `most` boxes that hold all the local groups (at least one unless there are none).
std::vector<TargetBox> target_boxes(const LocalTree& local, std::size_t most);

/// True if the tree's root alone serves every walk inside the boxes.
bool root_suffices(const EssentialNode& root, std::span<const TargetBox> targets, const GravityOptions& options,
                   double gravitational_constant);
EssentialNode essential_root(const LocalTree& local);

/// The part of the local tree that walks inside the boxes read. Threads share the work; the result does not depend on
/// their number.
EssentialCut cut_essential_tree(const LocalTree& local, std::span<const TargetBox> targets);

}  // namespace multiwalk
