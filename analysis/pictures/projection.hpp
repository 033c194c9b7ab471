// SPDX-License-Identifier: GPL-3.0-or-later
// Projected density images with a perceptually uniform colour map and a scale bar.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/base/box.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// What to draw: the particles inside `region`, seen along `axis`.
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
/// exceeds a pixel. The map is on rank 0, empty elsewhere. Conserves the mass inside the region; the same bits for any
/// number of ranks and threads. Particles outside, and those whose position or mass is not finite, are ignored; an
/// empty or non-finite region gives an empty map. Memory per rank: 11 bytes per pixel and at most 160 MB; rank 0
/// temporarily needs five times that. Collective. Throws InputError for 0 pixels.
SurfaceDensity project_density(std::span<const Vec3d> position, std::span<const float> mass,
                               const ProjectionOptions& options, const Communicator& comm = {});

/// 8-bit RGB image.
struct Image {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  ///< (height, width, 3)
};

struct ImageLabels {
  std::string length_unit;  ///< of the scale bar, e.g. "Mpc/h"
  std::string caption;      ///< e.g. "z = 0.50"
};

/// The longest of 1, 2, 5 x 10^n that is at most the given length; 0 if that is not positive.
double round_length(double at_most);

/// Logarithmic stretch between percentiles, inferno-like colours, scale bar of a round length, caption.
Image render(const SurfaceDensity& density, const ImageLabels& labels);

struct Panel {
  SurfaceDensity density;
  ImageLabels labels;
};

/// The same for several panels of one size, in rows of `columns`, with one colour scale chosen for all of them
/// together. Throws InputError if there are no panels or their sizes differ.
Image render_panels(std::span<const Panel> panels, std::uint32_t columns);

/// PNG bytes. Throws Error if the image is empty or libpng refuses.
std::vector<std::uint8_t> encode_png(const Image& image);

}  // namespace multiwalk
