// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "analysis/pictures/body_trails.hpp"
#include "analysis/pictures/render_image.hpp"

namespace multiwalk {

/// A square field of view along an axis, as in ProjectionOptions.
struct OrbitView {
  std::uint32_t pixels = 800;
  int axis = 2;
  std::optional<Vec3d> centre = {};  ///< none: the origin
  double width = 0;                  ///< 0: wide enough for all trails
};

/// Draws trails as lines that fade with age, each body in its own colour, and a disc at the body's present position.
Image draw_orbits(std::span<const Trail> trails, const OrbitView& view, const ImageLabels& labels,
                  const ImageStyle& style);

}  // namespace multiwalk
