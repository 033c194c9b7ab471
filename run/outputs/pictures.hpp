// SPDX-License-Identifier: GPL-3.0-or-later
// Images of the projected density for outputs, reports and `multiwalk image`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/halos/halo.hpp"
#include "analysis/pictures/body_trails.hpp"
#include "analysis/pictures/render_image.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/base/box.hpp"
#include "host/base/vec3.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// How to look at a system: along an axis, at a box of this extent about a centre. Without extent: as the reports show
/// it, a slab through a sphere's middle, the first quarter of a periodic box, or the inner 95 % of an isolated system.
/// Without centre: about the origin, or the middle of a periodic box. Regions across the faces of a periodic box are
/// shown by nearest images and are at most as wide as the box.
struct View {
  std::uint32_t pixels = 800;
  int axis = 2;
  Vec3d extent = {0, 0, 0};
  std::optional<Vec3d> centre = {};
  double slab = 0;  ///< if positive, the extent along the axis
  ImageStyle style = {};
};

/// What of the system a view shows; in a periodic box at most as wide as the box. Collective.
Box region_of(const ParticleSystem& system, const View& view, const Communicator& comm = {});

/// The map and labels of a system; `caption` is added to the epoch. The map is on rank 0. Collective.
Panel panel_of(const ParticleSystem& system, const View& view, const std::string& caption = "",
               const Communicator& comm = {});

/// One figure of such panels on one colour scale, in about as many rows as columns. PNG bytes on rank 0, none
/// elsewhere. Collective.
std::vector<std::uint8_t> draw_panels(const std::vector<Panel>& panels, const ImageStyle& style = {},
                                      const Communicator& comm = {});

/// PNG bytes on rank 0, none elsewhere; the same for any number of ranks. Collective.
std::vector<std::uint8_t> draw_system(const ParticleSystem& system, const View& view, const Communicator& comm = {});

/// The orbits of few bodies, in a cube that holds them if the view has no extent. PNG bytes on rank 0, none elsewhere.
/// Collective.
std::vector<std::uint8_t> draw_bodies(const ParticleSystem& system, const BodyTrails& trails, const View& view,
                                      const Communicator& comm = {});

/// An image of a halo: the cube of 5 r200 (critical) about its centre or, if it has no r200, a cube as wide as its
/// members; `view` without centre and extent. `halo`: the same on every rank. Collective.
std::vector<std::uint8_t> draw_halo(const ParticleSystem& system, const Halo& halo, View view,
                                    const Communicator& comm = {});

}  // namespace multiwalk
