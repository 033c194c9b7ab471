// Projected density images with a perceptually uniform colour map and a scale bar.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/base/box.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// What to draw: the particles inside `region`, seen along `axis`.
struct ProjectionOptions {
  Box region;
  int axis = 2;
  std::uint32_t pixels = 800;      ///< image width; height by aspect
};

/// Surface density, row 0 at the top (largest second coordinate), mass per area in the particles' units.
struct SurfaceDensity {
  std::uint32_t width = 0, height = 0;
  std::vector<float> value;   ///< (height, width)
  double extent_x = 0;        ///< length across
};

/// Triangular-shaped-cloud deposit, mass conserving inside the region, any thread count the same to rounding.
SurfaceDensity project_density(std::span<const Vec3d> position, std::span<const float> mass,
                               const ProjectionOptions& options);

/// 8-bit RGB image.
struct Image {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;   ///< (height, width, 3)
};

struct ImageLabels {
  std::string length_unit;   ///< of the scale bar, e.g. "Mpc/h"
  std::string caption;       ///< e.g. "z = 0.50"
};

/// Logarithmic stretch between percentiles, inferno-like colours, scale bar of a round length, caption.
Image render(const SurfaceDensity& density, const ImageLabels& labels);

/// PNG bytes.
std::vector<std::uint8_t> encode_png(const Image& image);

}  // namespace multiwalk
