// SPDX-License-Identifier: GPL-3.0-or-later
// Ewald summation in double precision: the truth for periodic boxes, without G.
// Conventions (Hernquist, Bouchet & Suto 1991, and GADGET; eq. 2.14b of the former has a misprint): every mass stands
// for its infinite cubic lattice of images less the mean density; the potential's mean over the box is zero. The
// nearest image is softened as in a vacuum (Plummer), all others are points, so with softening eps the mean of the
// potential is off by O((eps/L)^2 log). A particle's own images and its background pull it nowhere and give it the
// potential +2.837297 G m/L: they belong to its potential, the own pair does not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/base/vec3.hpp"
#include "host/gravity/pair_force.hpp"

namespace multiwalk {

/// exact sums each pair anew (2 microseconds); tabulated interpolates (host/gravity/ewald_table.hpp, 40 ns) and is off
/// by at most 1e-6 of G m/L^2 a pair, 1.4e-7 rms, and by less than 5e-7 of the rms pull in a box that a lattice
/// displaced by 2 % of its spacing fills.
enum class EwaldMethod { tabulated, exact };

struct EwaldLaw {
  double box_size = 1;
  double softening = 0;
  EwaldMethod method = EwaldMethod::tabulated;
};

/// Sum over all sources and their images for one target; coordinates may lie outside the box. A source at the target's
/// place adds no acceleration; to the potential, its images and background and, if softened, m/eps.
ForceSum<double> ewald_sum(std::span<const Vec3d> position, std::span<const float> mass, Vec3d target,
                           const EwaldLaw& law);

/// The same for the particles whose indices are given, in parallel.
std::vector<ForceSum<double>> ewald_sums(std::span<const Vec3d> position, std::span<const float> mass,
                                         std::span<const std::uint32_t> targets, const EwaldLaw& law);

}  // namespace multiwalk
