// SPDX-License-Identifier: GPL-3.0-or-later
// A glass: particles as evenly spread as a lattice, without its directions (White 1996).
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

/// (side^3) points of the periodic unit cube, in [0, 1), on every rank: random ones that gravity with its sign reversed
/// has pushed apart. Linear waves obey psi = g / (4 pi G mean density), so a step of -psi flattens every wave at once;
/// longer steps that keep some of the last one's motion (Polyak 1964) settle shear as well. Rank 0
/// makes it, by TreePM on its CPU threads; the same for any number of ranks and threads. `progress(fraction)` is
/// called about ten times; it may be null. Collective.
std::vector<Vec3d> make_glass(const GlassOptions& options, const std::function<void(double)>& progress = nullptr,
                              const Communicator& comm = {});

}  // namespace multiwalk
