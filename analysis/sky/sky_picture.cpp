// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sky/sky_picture.hpp"

#include <healpix_cxx/healpix_base.h>

#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "analysis/pictures/colour_map.hpp"

namespace multiwalk {

namespace {

/// Direction at (x, y), each from -1 to 1; none outside the ellipse (Mollweide 1805).
std::optional<pointing> direction_at(double x, double y) {
  if (x * x + y * y >= 1) return std::nullopt;
  const double theta = std::asin(y);
  const double latitude = std::asin((2 * theta + std::sin(2 * theta)) / std::numbers::pi);
  const double longitude = -std::numbers::pi * x / std::cos(theta);
  return pointing(std::numbers::pi / 2 - latitude, longitude < 0 ? longitude + 2 * std::numbers::pi : longitude);
}

std::array<double, 3> pixel_colour(double value, double low, double high) {
  if (std::isnan(value)) return {128, 128, 128};
  return colour_of(Colours::inferno, high > low ? (value - low) / (high - low) : 0);
}

}  // namespace

Image draw_mollweide(std::span<const double> map, std::uint32_t nside, double low, double high, std::uint32_t width) {
  const T_Healpix_Base<std::int64_t> healpix(static_cast<std::int64_t>(nside), NEST, SET_NSIDE);
  Image image{width, width / 2, std::vector<std::uint8_t>(std::size_t{width} * (width / 2) * 3, 255)};
#pragma omp parallel for schedule(dynamic, 16)
  for (std::uint32_t row = 0; row < image.height; ++row) {
    for (std::uint32_t column = 0; column < width; ++column) {
      const auto at = direction_at((2 * column + 1.0) / width - 1, 1 - (2 * row + 1.0) / image.height);
      if (!at) continue;
      const auto colour = pixel_colour(map[static_cast<std::size_t>(healpix.ang2pix(*at))], low, high);
      for (std::size_t c = 0; c < 3; ++c) {
        image.rgb[(std::size_t{row} * width + column) * 3 + c] = static_cast<std::uint8_t>(std::lround(colour[c]));
      }
    }
  }
  return image;
}

}  // namespace multiwalk
