// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/pictures/colour_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "analysis/pictures/picture_data.hpp"

namespace multiwalk {

namespace {

/// CIE 1976 lightness in equal steps, encoded as sRGB (IEC 61966-2-1).
double grey(double level) {
  const double lightness = 100 * level;
  const double luminance = lightness > 8 ? std::pow((lightness + 16) / 116, 3) : lightness * 27 / 24389;
  return 255 * (luminance > 0.0031308 ? 1.055 * std::pow(luminance, 1 / 2.4) - 0.055 : 12.92 * luminance);
}

}  // namespace

std::array<double, 3> colour_of(Colours colours, double level) {
  level = level > 0 ? std::min(level, 1.0) : 0;
  if (colours == Colours::grey) {
    const double shade = grey(level);
    return {shade, shade, shade};
  }
  const std::span<const std::uint32_t, 256> table = colour_table(static_cast<std::size_t>(colours));
  const double place = 255 * level;
  const auto lower = static_cast<std::size_t>(place);
  const std::size_t upper = std::min<std::size_t>(lower + 1, 255);
  const double fraction = place - static_cast<double>(lower);
  std::array<double, 3> colour;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const unsigned shift = 16 - 8 * static_cast<unsigned>(channel);
    const double low = (table[lower] >> shift) & 0xffU;
    const double high = (table[upper] >> shift) & 0xffU;
    colour[channel] = low + fraction * (high - low);
  }
  return colour;
}

}  // namespace multiwalk
