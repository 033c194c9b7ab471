// SPDX-License-Identifier: GPL-3.0-or-later
// Local expansions about a walk's centre, for one instruction set; only isa_kernels.cpp includes it. Cells are in the
// lanes, then targets.
#pragma once

#include <cstddef>

#include "host/gravity/local_expansion.hpp"
#include "host/simd/simd_kernels.hpp"
#include "host/simd/simd_vector.hpp"

namespace multiwalk::MULTIWALK_ISA {

/// Sums over the packed cells. Each lane adds few of them, so single precision is enough.
template <int order, class Radial>
MULTIWALK_HOST_DEVICE void sum_expansions(const PackedSources& s, const Radial& radial, float* coefficient) {
  Packed term[expansion_terms(order)];
  for (std::size_t j = 0; j < s.expansions; j += width) {
    const SecondMoment<Packed> second{load(s.expanded[4] + j), load(s.expanded[5] + j), load(s.expanded[6] + j),
                                      load(s.expanded[7] + j), load(s.expanded[8] + j), load(s.expanded[9] + j)};
    const Vec3<Packed> d{load(s.expanded[0] + j), load(s.expanded[1] + j), load(s.expanded[2] + j)};
    add_expansion<order>(d, load(s.expanded[3] + j), second, radial, term);
  }
  for (int n = 0; n < expansion_terms(order); ++n) coefficient[n] = static_cast<float>(sum_lanes(term[n]));
}

/// Adds the forces of an expansion with lengths in its unit to those of `count` <= width targets.
template <int order>
MULTIWALK_HOST_DEVICE void add_forces(const Packed* term, const Vec3d* target, std::size_t count, const Vec3d& centre,
                                      double inverse_unit, ForceSum<double>* sums) {
  Vec3<Packed> u{};
  for (std::size_t t = 0; t < count; ++t) {
    u.x.v[t] = static_cast<float>((target[t].x - centre.x) * inverse_unit);
    u.y.v[t] = static_cast<float>((target[t].y - centre.y) * inverse_unit);
    u.z.v[t] = static_cast<float>((target[t].z - centre.z) * inverse_unit);
  }
  const ForceSum<Packed> force = expanded_force<order>(term, u);
  for (std::size_t t = 0; t < count; ++t) {
    sums[t].x += static_cast<double>(force.x.v[t]) * inverse_unit * inverse_unit;
    sums[t].y += static_cast<double>(force.y.v[t]) * inverse_unit * inverse_unit;
    sums[t].z += static_cast<double>(force.z.v[t]) * inverse_unit * inverse_unit;
    sums[t].potential += static_cast<double>(force.potential.v[t]) * inverse_unit;
  }
}

template <int order>
void expand_by(const PackedSources& packed, const WalkTargets& targets, const ExpansionConstants& law,
               ForceSum<double>* sums) {
  float coefficient[expansion_terms(order)];
  const Packed softening2(law.softening2);
  if (law.split != nullptr) {
    sum_expansions<order>(packed, ShortRangeDerivatives<Packed>(*law.split, law.unit, softening2), coefficient);
  } else {
    sum_expansions<order>(packed, NewtonDerivatives<Packed>{softening2}, coefficient);
  }
  Packed term[expansion_terms(order)];
  for (int n = 0; n < expansion_terms(order); ++n) term[n] = Packed(coefficient[n]);
  for (std::size_t t = 0; t < targets.count; t += width) {
    const std::size_t count = targets.count - t < width ? targets.count - t : width;
    add_forces<order>(term, targets.position + t, count, targets.centre, 1 / static_cast<double>(law.unit), sums + t);
  }
}

inline void expand(const PackedSources& packed, const WalkTargets& targets, const ExpansionConstants& law,
                   ForceSum<double>* sums) {
  static_assert(least_expansion_order == 1 && most_expansion_order == 6);
  constexpr decltype(&expand) by_order[] = {expand_by<1>, expand_by<2>, expand_by<3>,
                                            expand_by<4>, expand_by<5>, expand_by<6>};
  by_order[law.order - least_expansion_order](packed, targets, law, sums);
}

}  // namespace multiwalk::MULTIWALK_ISA
