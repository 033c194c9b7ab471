// SPDX-License-Identifier: GPL-3.0-or-later
// Maps of the projected density.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/base/box.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// The view to draw: the particles inside `region`, seen along `axis`.
struct ProjectionOptions {
  Box region;
  int axis = 2;                ///< 0: y across and z up; 1: z across and x up; 2: x across and y up
  std::uint32_t pixels = 800;  ///< image width; height by aspect
};

/// Surface density, row 0 at the top (largest second coordinate), mass per area in the particles' units.
struct SurfaceDensity {
  std::uint32_t width = 0, height = 0;
  std::vector<float> value;  ///< (height, width)
  double extent_x = 0;       ///< length across
};

/// Triangular-shaped-cloud deposit of all ranks' particles, smeared over the local interparticle spacing where that
/// exceeds a pixel. The map is on rank 0, empty elsewhere. Conserves the mass inside the region; bitwise independent of
/// the number of ranks and threads. Particles outside, and those whose position or mass is not finite, are ignored; an
/// empty or non-finite region gives an empty map. Memory per rank: 22 bytes per pixel and at most 160 MB; rank 0
/// temporarily needs four times that. Collective. Throws InputError for 0 pixels.
SurfaceDensity project_density(std::span<const Vec3d> position, std::span<const float> mass,
                               const ProjectionOptions& options, const Communicator& comm = {});

}  // namespace multiwalk
