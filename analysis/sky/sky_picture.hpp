// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a map of the sky in the Mollweide projection.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/pictures/image.hpp"

namespace multiwalk {

/// Longitude 0 is in the middle, and longitudes increase to the left, as on the sky seen from inside. `map`: (12
/// nside^2) in nested order, NaN outside the field of view. The colour scale is linear between `low` and `high`; pixels
/// outside the field of view are grey, and the background is white.
Image draw_mollweide(std::span<const double> map, std::uint32_t nside, double low, double high, std::uint32_t width);

}  // namespace multiwalk
