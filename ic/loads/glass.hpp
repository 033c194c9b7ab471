// SPDX-License-Identifier: GPL-3.0-or-later
// A glass: particles as evenly spaced as in a lattice, but without its preferred directions (White 1996).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

struct GlassOptions {
  std::uint32_t side = 32;  ///< particles along each side of the cube
  std::uint64_t seed = 1;
  int steps = 100;
};

/// (side^3) points of the periodic unit cube, in [0, 1), on every rank: random ones pushed apart by gravity with its
/// sign reversed. Linear waves obey psi = g / (4 pi G mean density), so a step of -psi flattens every wave at once;
/// longer steps that keep part of the previous motion (Polyak 1964) also relax shear. Rank 0 makes the glass, by TreePM
/// on its CPU threads; it is the same for any number of ranks and threads. `progress(fraction)` is called about ten
/// times; it may be null. Collective.
std::vector<Vec3d> make_glass(const GlassOptions& options, const std::function<void(double)>& progress = nullptr,
                              const Communicator& comm = {});

}  // namespace multiwalk
