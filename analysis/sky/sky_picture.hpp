// SPDX-License-Identifier: GPL-3.0-or-later
// A map of the sky as a picture in Mollweide's projection.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/pictures/image.hpp"

namespace multiwalk {

/// Equal areas; longitude 0 in the middle and rising to the left, as one sees the sky from inside. `map`: nested (12
/// nside^2), NaN where not seen. Colours range linearly between `low` and `high`; what is not seen is grey, the rest of
/// the picture white.
Image draw_mollweide(std::span<const double> map, std::uint32_t nside, double low, double high, std::uint32_t width);

}  // namespace multiwalk
