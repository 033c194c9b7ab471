// SPDX-License-Identifier: GPL-3.0-or-later
// The tests that a walk applies to the children of a node, in one source for SIMD vectors of eight children and for
// CUDA threads with one child each. Sums are fused explicitly, so that walks on the host and on a device decide alike.
// `Lanes` gives the types Ints, Floats and Mask and the functions that vectors and numbers do not have in common.
#pragma once

#include <cmath>
#include <cstdint>

#include "host/base/host_device.hpp"
#include "host/tree/acceptance.hpp"
#include "host/walk/walk_batch.hpp"
#include "host/walk/walk_families.hpp"

namespace multiwalk {

/// A query in walk units.
template <class Lanes>
struct FamilyQuery {
  using Ints = typename Lanes::Ints;
  using Floats = typename Lanes::Floats;

  Ints x, y, z;
  Floats half_x, half_y, half_z;
  float scale;
  float beyond2;  ///< a cell at a greater squared distance is far
  float cutoff;
  float radius;  ///< of the group about its centre
  float limit;   ///< WalkQuery::expansion_limit
  int order;     ///< of expansions; 0: none
  bool relative;

  MULTIWALK_HOST_DEVICE FamilyQuery(const WalkTree& tree, const WalkQuery& q) {
    const double unit = tree.units_per_length;
    x = Ints{} + walk_coordinate(q.centre.x - tree.corner.x, unit, tree.periodic);
    y = Ints{} + walk_coordinate(q.centre.y - tree.corner.y, unit, tree.periodic);
    z = Ints{} + walk_coordinate(q.centre.z - tree.corner.z, unit, tree.periodic);
    half_x = Floats{} + static_cast<float>(q.half_size.x * unit);
    half_y = Floats{} + static_cast<float>(q.half_size.y * unit);
    half_z = Floats{} + static_cast<float>(q.half_size.z * unit);
    scale = q.scale > 0 ? static_cast<float>(q.scale * unit < 1e30 ? q.scale * unit : 1e30) : 1.0F;
    const Vec3d h = q.half_size;
    const double h2 = std::fma(h.z, h.z, std::fma(h.y, h.y, h.x * h.x));
    const double least2 = far_factor * far_factor * h2, floor2 = far_floor * far_floor;
    cutoff = static_cast<float>(q.cutoff * unit);
    radius = static_cast<float>(std::sqrt(h2) * unit);
    limit = static_cast<float>(q.expansion_limit);
    order = q.expansion_order;
    relative = q.scale > 0;
    // Far cells act by Newton's law.
    beyond2 = q.cutoff < INFINITY ? INFINITY : static_cast<float>((least2 > floor2 ? least2 : floor2) * unit * unit);
  }
};

/// The children that are tested at once.
template <class Lanes>
struct TestedChildren {
  typename Lanes::Ints x, y, z;
  typename Lanes::Floats far2;
  float floor2, reach;
};

template <class Lanes>
MULTIWALK_HOST_DEVICE typename Lanes::Floats outside(typename Lanes::Ints x, typename Lanes::Ints centre,
                                                     typename Lanes::Floats half) {
  const typename Lanes::Floats beyond = Lanes::magnitude(Lanes::floats(Lanes::difference(x, centre))) - half;
  return beyond > 0.0F ? beyond : typename Lanes::Floats{};
}

/// Squared distances of the children's centres of mass from the group's box.
template <class Lanes>
MULTIWALK_HOST_DEVICE typename Lanes::Floats distance2(const TestedChildren<Lanes>& child,
                                                       const FamilyQuery<Lanes>& q) {
  return Lanes::sum_of_squares(outside<Lanes>(child.x, q.x, q.half_x), outside<Lanes>(child.y, q.y, q.half_y),
                               outside<Lanes>(child.z, q.z, q.half_z));
}

/// Whether the children are far enough to be accepted.
template <class Lanes>
MULTIWALK_HOST_DEVICE typename Lanes::Mask is_accepted(const TestedChildren<Lanes>& child, const FamilyQuery<Lanes>& q,
                                                       typename Lanes::Floats r2) {
  const typename Lanes::Floats far2 = child.far2 * q.scale, floor2 = typename Lanes::Floats{} + child.floor2;
  return r2 > (far2 > floor2 ? far2 : floor2);
}

/// Which children may be expanded, see OpeningCriterion::expansion_limit.
template <class Lanes>
class ExpansionTest {
 public:
  using Floats = typename Lanes::Floats;
  using Mask = typename Lanes::Mask;

  MULTIWALK_HOST_DEVICE ExpansionTest(const TestedChildren<Lanes>& child, const FamilyQuery<Lanes>& q)
      : q_(q), side_(child.reach * 0.57735027F) {
    d2_ = Lanes::sum_of_squares(Lanes::floats(Lanes::difference(child.x, q.x)),
                                Lanes::floats(Lanes::difference(child.y, q.y)),
                                Lanes::floats(Lanes::difference(child.z, q.z)));
    const float reach = q.radius + 0.5F * side_;
    const Floats t2 = reach * reach / d2_;
    power_ = Floats{} + 1.0F;
    for (int k = 2; k <= q.order; k += 2) power_ = power_ * t2;
    if (q.order % 2 != 0) power_ = power_ * Lanes::square_root(t2);
    constexpr auto most = static_cast<float>(OpeningCriterion::most_expanded * OpeningCriterion::most_expanded);
    possible_ = (t2 <= most) & (d2_ <= q.cutoff * q.cutoff);
  }
  /// Whether t^P <= limit.
  [[nodiscard]] MULTIWALK_HOST_DEVICE Mask below_limit() const { return possible_ & (power_ <= q_.limit); }
  /// Relative criterion: whether G M t^P / d^2 <= limit alpha |a|, in terms of strength = s sqrt(G M / alpha |a|).
  [[nodiscard]] MULTIWALK_HOST_DEVICE Mask below_limit(Floats strength) const {
    return possible_ & (strength * strength * power_ <= q_.limit * side_ * side_ * d2_);
  }

 private:
  const FamilyQuery<Lanes>& q_;
  float side_;
  Floats d2_, power_;
  Mask possible_;
};

}  // namespace multiwalk
