// SPDX-License-Identifier: GPL-3.0-or-later
// Projected density as outputs, reports and `multiwalk image` show it.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/halos/halo.hpp"
#include "analysis/pictures/projection.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// Image of the system as the reports show it: a slab through a sphere's middle, a quarter of a periodic box, or the
/// inner 95 % of an isolated system. PNG bytes on rank 0, none elsewhere; the same for any number of ranks. Collective.
std::vector<std::uint8_t> draw_system(const ParticleSystem& system, std::uint32_t pixels, int axis,
                                      const Communicator& comm = {});

/// What draw_system shows of one output, to be set beside others of the run; the map on rank 0. Collective.
Panel panel_of(const ParticleSystem& system, std::uint32_t pixels, int axis, const Communicator& comm = {});

/// One figure of such panels in rows, about as many of them as columns, on one colour scale. PNG bytes on rank 0, none
/// elsewhere. Collective.
std::vector<std::uint8_t> draw_panels(const std::vector<Panel>& panels, const Communicator& comm = {});

/// As draw_system, the cube of 5 r200 (critical) about a halo's centre, its nearest images in a periodic box, of which
/// it holds one at most; as wide as the members reach if the halo has no r200. `halo`: the same on every rank.
/// Collective.
std::vector<std::uint8_t> draw_halo(const ParticleSystem& system, const Halo& halo, std::uint32_t pixels, int axis,
                                    const Communicator& comm = {});

}  // namespace multiwalk
