// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/pictures/colour_map.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/pictures/picture_data.hpp"

namespace multiwalk {

std::array<double, 3> inferno(double level) {
  if (!(level > 0)) level = 0;
  const double place = 255 * std::min(level, 1.0);
  const auto lower = static_cast<std::size_t>(place);
  const std::size_t upper = std::min<std::size_t>(lower + 1, 255);
  const double fraction = place - static_cast<double>(lower);
  std::array<double, 3> colour;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const unsigned shift = 16 - 8 * static_cast<unsigned>(channel);
    const double low = (inferno_colours()[lower] >> shift) & 0xffU;
    const double high = (inferno_colours()[upper] >> shift) & 0xffU;
    colour[channel] = low + fraction * (high - low);
  }
  return colour;
}

}  // namespace multiwalk
