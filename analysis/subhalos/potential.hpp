// SPDX-License-Identifier: GPL-3.0-or-later
// Potentials of sets of particles in a vacuum, from a few to many million.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/subhalos/member.hpp"

namespace multiwalk {

/// Sets of more particles than this are summed over a tree.
inline constexpr std::size_t most_summed_directly = 2000;

/// (chosen.size()) For each chosen member, the sum over the other chosen members of m / sqrt(r^2 + softening^2),
/// comoving and without G (softening is at least 1e-5). Sums run over all pairs or, for many particles, over an octree
/// (monopoles of cells narrower than 0.5 times their distance; within 1% of the sum over pairs). The result does not
/// depend on the number of threads.
std::vector<float> inverse_distance_sums(std::span<const Member> members, std::span<const std::uint32_t> chosen,
                                         double softening);

/// Subtracts the contributions of the members `removed`, which are no longer among the chosen, from the `sums` of the
/// chosen.
void subtract_members(std::span<const Member> members, std::span<const std::uint32_t> chosen,
                      std::span<const std::uint32_t> removed, double softening, std::span<float> sums);

}  // namespace multiwalk
