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
  float radius, inverse_radius2;  ///< of the group about its centre; 0: no cell is expanded
  float spread;                   ///< P (P - 1) / 48
  float limit;                    ///< WalkQuery::expansion_limit
  int order;                      ///< of expansions; 0: none
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
    inverse_radius2 = radius > 0 ? 1 / (radius * radius) : 0;
    order = q.expansion_order;
    spread = static_cast<float>(order * (order - 1)) / 48;
    relative = q.scale > 0;
    // Far cells act by Newton's law.
    beyond2 = q.cutoff < INFINITY || !q.far_apart
                  ? INFINITY
                  : static_cast<float>((least2 > floor2 ? least2 : floor2) * unit * unit);
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

/// Which children may be expanded, see OpeningCriterion::expansion_limit: with w = d^2 / rho^2 and b = s^2 / rho^2,
/// whether 1 + P (P - 1) b / 48 <= limit w^(P/2), and the sphere about the cell is apart from the group's. Powers
/// overflow only for cells far beyond the limit.
template <class Lanes>
class ExpansionTest {
 public:
  using Floats = typename Lanes::Floats;
  using Mask = typename Lanes::Mask;

  MULTIWALK_HOST_DEVICE ExpansionTest(const TestedChildren<Lanes>& child, const FamilyQuery<Lanes>& q)
      : q_(q), b_(child.reach * child.reach * (1.0F / 3) * q.inverse_radius2), spread_(1 + q.spread * b_) {
    const Floats d2 = Lanes::sum_of_squares(Lanes::floats(Lanes::difference(child.x, q.x)),
                                            Lanes::floats(Lanes::difference(child.y, q.y)),
                                            Lanes::floats(Lanes::difference(child.z, q.z)));
    w_ = d2 * q.inverse_radius2;
    power_ = Floats{} + q.limit;
    for (int k = 2; k <= q.order; k += 2) power_ = power_ * w_;
    if (q.order % 2 != 0) power_ = power_ * Lanes::square_root(w_);
    const float reach = q.radius + 0.28867513F * child.reach;
    constexpr auto most = static_cast<float>(OpeningCriterion::most_expanded * OpeningCriterion::most_expanded);
    possible_ = (reach * reach <= most * d2) & (d2 <= q.cutoff * q.cutoff) & (w_ > 0.0F);
  }
  [[nodiscard]] MULTIWALK_HOST_DEVICE Mask below_limit() const { return possible_ & (spread_ <= power_); }
  /// Relative criterion, in terms of strength = s sqrt(G M / alpha |a|): G M / alpha |a| d^2 is strength^2 / s^2 d^2.
  [[nodiscard]] MULTIWALK_HOST_DEVICE Mask below_limit(Floats strength) const {
    const Floats mine = strength * q_.inverse_radius2;
    return possible_ & (mine * mine * spread_ <= b_ * w_ * power_);
  }

 private:
  const FamilyQuery<Lanes>& q_;
  float b_, spread_;
  Floats w_, power_;
  Mask possible_;
};

}  // namespace multiwalk
