// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "analysis/pictures/body_trails.hpp"
#include "analysis/pictures/render_image.hpp"

namespace multiwalk {

/// A square along an axis as in ProjectionOptions.
struct OrbitView {
  std::uint32_t pixels = 800;
  int axis = 2;
  std::optional<Vec3d> centre = {};  ///< none: the origin
  double width = 0;                  ///< 0: what holds all trails
};

/// Trails as lines, each body in a colour of its own, that grow fainter with age; a disc where the body is.
Image draw_orbits(std::span<const Trail> trails, const OrbitView& view, const ImageLabels& labels,
                  const ImageStyle& style);

}  // namespace multiwalk
