// SPDX-License-Identifier: GPL-3.0-or-later
// The local expansion of a walk (host/gravity/local_expansion.hpp) in double precision.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "host/gravity/local_expansion.hpp"
#include "host/gravity/pair_force.hpp"
#include "host/tree/octree.hpp"

namespace multiwalk {

inline SecondMoment<double> second_moment(const Multipole& m) {
  return {static_cast<double>(m.xx), static_cast<double>(m.xy), static_cast<double>(m.xz),
          static_cast<double>(m.yy), static_cast<double>(m.yz), static_cast<double>(m.zz)};
}

/// Lengths in the coordinates' unit; those of lower orders come first.
using ExpansionTerms = std::array<double, expansion_terms(most_expansion_order)>;

/// The terms about `centre` of the potential of the cells (indices into `sources.multipole`), order 1 to 6.
ExpansionTerms expand_cells(int order, const TreeView& sources, std::span<const std::uint32_t> cells, Vec3d centre,
                            double softening2);

/// The force at `u` from the centre.
ForceSum<double> force_of_terms(int order, const ExpansionTerms& terms, Vec3d u);

}  // namespace multiwalk
