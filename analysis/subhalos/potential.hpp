// SPDX-License-Identifier: GPL-3.0-or-later
// Potentials of sets of a few to many million particles in vacuum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/subhalos/member.hpp"

namespace multiwalk {

/// Sets of more particles than this are summed over a tree.
inline constexpr std::size_t most_summed_directly = 2000;

/// (chosen.size()) For each chosen member, the sum over the others of m / sqrt(r^2 + softening^2), comoving and
/// without G (softening is at least 1e-5): over all pairs, or of many particles over an octree (monopoles of cells
/// narrower than 0.5 of their distance; within 1 % of the sum over pairs). The same for any number of threads.
std::vector<float> inverse_distance_sums(std::span<const Member> members, std::span<const std::uint32_t> chosen,
                                         double softening);

/// Subtracts from `sums` of the chosen what the members `removed`, no longer among them, contributed.
void subtract_members(std::span<const Member> members, std::span<const std::uint32_t> chosen,
                      std::span<const std::uint32_t> removed, double softening, std::span<float> sums);

}  // namespace multiwalk
