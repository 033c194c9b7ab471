// SPDX-License-Identifier: GPL-3.0-or-later
// Images of the projected density for outputs, reports and `multiwalk image`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/halos/halo.hpp"
#include "analysis/pictures/projection.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// How to look at a system: along an axis, at a cube around the origin of the given width if that is positive, else as
/// the reports show it: at a slab through a sphere's middle, a quarter of a periodic box, or the inner 95 % of an
/// isolated system.
struct View {
  std::uint32_t pixels = 800;
  int axis = 2;
  double width = 0;
};

/// PNG bytes on rank 0, none elsewhere; the same for any number of ranks. Collective.
std::vector<std::uint8_t> draw_system(const ParticleSystem& system, const View& view, const Communicator& comm = {});

/// The view of draw_system as a panel to be shown next to those of other outputs; the map is on rank 0. Collective.
Panel panel_of(const ParticleSystem& system, const View& view, const Communicator& comm = {});

/// As panel_of, for the cube of this width about a centre, in a periodic box by nearest images and at most as wide as
/// the box. `caption`: added to the epoch. Collective.
Panel panel_about(const ParticleSystem& system, const Vec3d& centre, const View& view, const std::string& caption = "",
                  const Communicator& comm = {});

/// PNG bytes of one panel on rank 0, none elsewhere. Collective.
std::vector<std::uint8_t> draw_panel(const Panel& panel, const Communicator& comm = {});

/// One figure of such panels on one colour scale, in about as many rows as columns. PNG bytes on rank 0, none
/// elsewhere. Collective.
std::vector<std::uint8_t> draw_panels(const std::vector<Panel>& panels, const Communicator& comm = {});

/// An image of a halo: the cube of 5 r200 (critical) about its centre or, if it has no r200, a cube as wide as its
/// members. In a periodic box particles are shown by their nearest images, and the cube is at most as wide as the box.
/// `halo`: the same on every rank. Collective.
std::vector<std::uint8_t> draw_halo(const ParticleSystem& system, const Halo& halo, std::uint32_t pixels, int axis,
                                    const Communicator& comm = {});

}  // namespace multiwalk
