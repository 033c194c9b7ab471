// SPDX-License-Identifier: GPL-3.0-or-later
// The records that a walk reads: the children of each node side by side in three cache lines, tested at once.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/base/aligned_buffer.hpp"
#include "host/tree/acceptance.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/walk_batch.hpp"

namespace multiwalk {

/// Walk units: 2^-31 of the cube's side, from its lower corner. Differences fit into 32-bit integers and keep digits
/// that single-precision coordinates would lose. Points outside count as lying on a face, which can only open more
/// cells. In a periodic box 2^-32 of the side: differences overflow to those of the nearest images.
inline constexpr double walk_units_per_side = 2147483648.0;
MULTIWALK_HOST_DEVICE double walk_units_per_length(const Cube& cube) {
  return (cube.periodic ? 2 : 1) * walk_units_per_side / cube.side;
}

/// A position along one axis, from a corner, in walk units.
MULTIWALK_HOST_DEVICE std::int32_t walk_coordinate(double x, double units_per_length, bool periodic) {
  const double u = x * units_per_length;
  if (periodic) return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(u)));
  return static_cast<std::int32_t>(std::fmin(std::fmax(u, 0.0), walk_units_per_side - 1));
}

/// The children of one node, or the root alone; those absent come last. One bit per child in the masks.
struct alignas(64) WalkFamily {
  std::int32_t x[8], y[8], z[8];  ///< centre of mass, walk units
  float far2[8];                ///< accepted beyond this squared distance (times the query's scale); inf: always opened
  std::uint32_t below[8];       ///< family of the child's children; unused for leaves
  float floor2 = 0;             ///< relative criterion: no child is accepted at a smaller squared distance
  float reach = INFINITY;       ///< no particle is farther than this from its child's centre of mass
  std::uint32_t first = 0;      ///< node of child 0; the others follow
  std::uint8_t present = 0;     ///< which children exist
  std::uint8_t leaves = 0;      ///< which are particles when opened
  std::uint8_t everywhere = 0;  ///< which are accepted at any distance
  std::uint8_t unlisted = 0;    ///< which are not listed when accepted
};
static_assert(sizeof(WalkFamily) == 192);

/// A child's far2, and its share in the family's floor2.
struct FamilyDistances {
  float far2, floor2;
};

/// How the records of a family are made.
struct FamilyRules {
  Vec3d corner;
  double units_per_length;
  bool relative, periodic;
  double gravitational_constant;

  MULTIWALK_HOST_DEVICE FamilyRules(const Cube& cube, const OpeningCriterion& criterion, double constant)
      : corner(cube.corner),
        units_per_length(walk_units_per_length(cube)),
        relative(criterion.relative()),
        periodic(cube.periodic),
        gravitational_constant(constant) {}

  [[nodiscard]] MULTIWALK_HOST_DEVICE std::int32_t coordinate(double x, double from) const {
    return walk_coordinate(x - from, units_per_length, periodic);
  }
  /// The diagonal of a cell of this side.
  [[nodiscard]] MULTIWALK_HOST_DEVICE float reach(double side) const {
    return static_cast<float>(1.7320509 * side * units_per_length);
  }

  [[nodiscard]] MULTIWALK_HOST_DEVICE FamilyDistances distances(const Multipole& m, float radius) const {
    const double r = std::fabs(static_cast<double>(radius)) * units_per_length;
    if (r > 1e300) return {INFINITY, 0};
    const auto r2 = static_cast<float>(r * r);
    if (!relative) return {r2, 0};
    return {static_cast<float>(OpeningCriterion::strength(gravitational_constant, static_cast<double>(m.mass), r)), r2};
  }

  /// Writes child `c`, with the family `below` it, into a family whose `first` and `present` are set.
  void write(WalkFamily& family, std::uint32_t c, const Multipole& m, float radius, bool leaf,
             std::uint32_t below) const {
    const auto bit = static_cast<std::uint8_t>(1U << c);
    family.x[c] = coordinate(m.centre_of_mass.x, corner.x);
    family.y[c] = coordinate(m.centre_of_mass.y, corner.y);
    family.z[c] = coordinate(m.centre_of_mass.z, corner.z);
    family.below[c] = below;
    const FamilyDistances distances = this->distances(m, radius);
    family.far2[c] = distances.far2;
    family.floor2 = std::fmax(family.floor2, distances.floor2);
    if (leaf) family.leaves |= bit;
    if (radius == 0) family.everywhere |= bit;
    if (std::signbit(radius)) family.unlisted |= bit;
  }
};

/// Plain pointers for kernels compiled for one instruction set. Family 0 is the root.
struct WalkTree {
  const Node* node;
  const WalkFamily* family;
  Vec3d corner;
  double units_per_length;
  bool periodic = false;
};

/// Owns the families of a tree.
class WalkFamilies {
 public:
  /// Replaces what was there, using its memory again. `radius` (nodes): opening radii. Trees of the same cube give a
  /// cell of the same moments and radius the same record, so that walks through either decide alike.
  void make(const TreeView& tree, std::span<const float> radius, const OpeningCriterion& criterion,
            double gravitational_constant);
  [[nodiscard]] WalkTree view() const { return view_; }

 private:
  AlignedBuffer<WalkFamily> family_;
  AlignedBuffer<std::uint32_t> below_;
  WalkTree view_{};
};

/// Rewrites the families of these nodes (rising) of the tree, whose moments or opening radii have changed.
void rewrite_families(std::span<WalkFamily> family, const TreeView& tree, std::span<const float> radius,
                      const OpeningCriterion& criterion, double gravitational_constant,
                      std::span<const std::uint32_t> nodes);

/// An expansion costs about as much as this many pairs with a cell: smaller groups have none.
inline constexpr std::uint32_t least_expanded_targets = pairs_of_expansion;

/// A group as a walk sees it.
struct WalkQuery {
  Vec3d centre, half_size;           ///< of the group's tight box
  double scale = 0;                  ///< relative criterion: OpeningCriterion::scale of the group; 0 for the others
  std::uint32_t first = 0, end = 0;  ///< particles of the group, [first, end), own tree only; empty: another's tree
  double cutoff = INFINITY;          ///< cells and leaves farther from the box are not listed
  int expansion_order = 0;           ///< 0: no cell is expanded
  double expansion_limit = 0;        ///< OpeningCriterion::expansion_limit
  bool far_apart = true;             ///< far cells have a list of their own
};

/// Where one walk's list goes, with its working memory; all arrays have `capacity` entries. A walk that could overflow
/// one of them stops and returns false.
struct ListBuffer {
  std::uint32_t* cells;     ///< those far from the group's box first
  std::uint32_t* near;      ///< accepted cells that are not far, until the walk ends
  std::uint32_t* expanded;  ///< accepted cells that act through an expansion about the query's centre
  ParticleRange* ranges;
  std::uint32_t* leaves;    ///< opened leaves
  std::uint32_t* families;  ///< opened families
  std::size_t capacity;
  std::size_t cell_count = 0;
  std::size_t far_count = 0;  ///< number of far cells
  std::size_t expanded_count = 0;
  std::size_t range_count = 0;
  std::uint32_t source_count = 0;  ///< particles in the ranges
};

}  // namespace multiwalk
