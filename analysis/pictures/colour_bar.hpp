// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analysis/pictures/brush.hpp"
#include "analysis/pictures/colour_map.hpp"
#include "analysis/pictures/colour_scale.hpp"

namespace multiwalk {

/// A labelled tick of a colour bar: `text` with `exponent` raised behind it.
struct ColourTick {
  double value;
  std::string text, exponent;
};

/// 0 and the powers of ten up to the scale's `high`; if there are fewer than two powers, also 2 and 5 times them.
/// Values increase.
std::vector<ColourTick> colour_ticks(const ColourScale& scale);

/// Draws the bar with its ticks, and `unit` above it, in the rectangle between `left` and `right` above `bottom`. Ticks
/// whose labels would touch are left out.
void draw_colour_bar(Brush& brush, const Bar& place, Colours colours, const ColourScale& scale,
                     const std::string& unit);

}  // namespace multiwalk
