// SPDX-License-Identifier: GPL-3.0-or-later
// The HEALPix pixel of a direction, in the nested scheme. One source for host and device, whose results agree bit for
// bit where multiply and add are not fused.
#pragma once

#include <cmath>
#include <cstdint>

#include "host/base/host_device.hpp"

namespace multiwalk {

/// Longitude / (pi/2), 0 to 4, with an error of 2e-13. The polynomial is a Chebyshev fit of arctan(w) / w in w^2 up to
/// tan(pi/8)^2.
MULTIWALK_HOST_DEVICE double sky_quadrants(double x, double y) {
  constexpr double tangent = 0.41421356237309503;  // of pi/8
  const double ax = std::fabs(x), ay = std::fabs(y);
  const double most = ax > ay ? ax : ay, least = ax > ay ? ay : ax;
  const bool steep = least > tangent * most;
  const double difference = least - most, sum = least + most;
  const double w = (steep ? difference : least) / (steep ? sum : most), w2 = w * w;
  const double low =
      0.63661977236711709 + w2 * (-0.21220659043937062 + w2 * (0.12732391111182995 + w2 * -0.090943625286828603));
  const double high =
      0.070687298147157462 + w2 * (-0.057252594164393017 + w2 * (0.044416970977554364 + w2 * -0.024001629128278804));
  double turned = (steep ? 0.5 : 0.0) + w * (low + w2 * w2 * w2 * w2 * high);
  const double from_y = 1 - turned;
  turned = ay > ax ? from_y : turned;
  const double from_back = 2 - turned;
  turned = x < 0 ? from_back : turned;
  const double from_whole = 4 - turned;
  return y < 0 ? from_whole : turned;
}

/// The largest whole number <= v, for 0 <= v < 2^51.
MULTIWALK_HOST_DEVICE double whole_below(double v) {
  const double nearest = (v + 0x1p52) - 0x1p52;
  return nearest - (nearest > v ? 1.0 : 0.0);
}

/// A direction on HEALPix's plane (Gorski et al. 2005, section 5.3; Calabretta & Roukema 2007) along the two diagonals
/// that are the borders of pixels, `falling` and `rising` from 0 to 5 sides of a base pixel. Returns 1 if rounding may
/// have changed the quadrant of the longitude, else 0.
MULTIWALK_HOST_DEVICE double place_on_diagonals(double x, double y, double z, double& falling, double& rising) {
  constexpr double margin = 1e-9;
  const double across2 = x * x + y * y, length2 = across2 + z * z, length = std::sqrt(length2), height = std::fabs(z);
  const double longitude = sky_quadrants(x, y);
  const double quadrant = whole_below(longitude);
  const double within = longitude - quadrant;
  // In the caps beyond |sin(latitude)| = 2/3 meridians approach each other as `narrow` = sqrt(3 (1 - |sin|)) falls.
  const double converging = std::sqrt(3 * across2 / (length2 + height * length));
  const double narrow = converging < 1 ? converging : 1;
  const double right = quadrant + 0.5 + (within - 0.5) * narrow;
  const double in_cap = 1 - 0.5 * narrow, in_belt = 0.75 * height / length;
  const double size = converging < 1 ? in_cap : in_belt;
  const double up = std::copysign(size, z);
  falling = 0.5 + right - up;
  rising = 0.5 + right + up;
  return std::fabs(within - 0.5) < 0.5 - margin ? 0.0 : 1.0;
}

/// The bits of a number below 2^16, with a 0 between any two.
MULTIWALK_HOST_DEVICE std::uint32_t spread_bits(std::uint32_t bits) {
  bits = (bits | bits << 8) & 0x00FF00FFU;
  bits = (bits | bits << 4) & 0x0F0F0F0FU;
  bits = (bits | bits << 2) & 0x33333333U;
  return (bits | bits << 1) & 0x55555555U;
}

/// A direction on the two diagonals of HEALPix's plane, in pixels.
struct SkyPlace {
  double falling, rising;  ///< rounded down
  double off_centre;       ///< 1/2 on the border of a pixel, more if the place is in doubt

  /// Whether rounding errors, which are below 1e-8 pixels, may decide the pixel.
  [[nodiscard]] MULTIWALK_HOST_DEVICE bool in_doubt() const {
    constexpr double margin = 1e-6;
    return !(off_centre < 0.5 - margin);
  }
};

/// (x, y, z): of any length. `side`: of a base pixel, in pixels.
MULTIWALK_HOST_DEVICE SkyPlace sky_place(double x, double y, double z, double side) {
  double f, r;
  const double doubt = place_on_diagonals(x, y, z, f, r);
  f *= side;
  r *= side;
  const double falling = f >= 0 ? whole_below(f) : 0.0;  // at the poles f and r are not numbers
  const double rising = r >= 0 ? whole_below(r) : 0.0;
  const double off_f = std::fabs(f - falling - 0.5), off_r = std::fabs(r - rising - 0.5);
  return {falling, rising, (off_f > off_r ? off_f : off_r) + doubt};
}

/// The pixel at a place that is not in doubt. `side`: 2^order.
MULTIWALK_HOST_DEVICE std::uint32_t sky_pixel(double falling, double rising, std::uint32_t side, int order) {
  const std::uint32_t inside = side - 1;
  const auto down = static_cast<std::int32_t>(falling), up = static_cast<std::int32_t>(rising);
  const std::int32_t f = down >> order, r = up >> order;
  const std::int32_t face = f == r ? f | 4 : f < r ? f : r + 8;
  const std::uint32_t ix = static_cast<std::uint32_t>(up) & inside;
  const std::uint32_t iy = inside - (static_cast<std::uint32_t>(down) & inside);
  return (static_cast<std::uint32_t>(face) << 2 * order) + (spread_bits(ix) | spread_bits(iy) << 1);
}

}  // namespace multiwalk
