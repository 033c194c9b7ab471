// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sky/sky_pixels.hpp"

#include <bit>
#include <cmath>

#include "host/base/host_device.hpp"

namespace multiwalk {

namespace {

/// Longitude / (pi/2), 0 to 4, with an error of 2e-13. The polynomial is a Chebyshev fit of arctan(w) / w in w^2 up to
/// tan(pi/8)^2.
inline double quadrants(double x, double y) {
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
inline double whole(double v) {
  const double nearest = (v + 0x1p52) - 0x1p52;
  return nearest - (nearest > v ? 1.0 : 0.0);
}

/// A direction on HEALPix's plane (Gorski et al. 2005, section 5.3; Calabretta & Roukema 2007) along the two diagonals
/// that are the borders of pixels, `falling` and `rising` from 0 to 5 sides of a base pixel. Returns 1 if rounding may
/// have changed the quadrant of the longitude, else 0.
inline double place_on_diagonals(double x, double y, double z, double& falling, double& rising) {
  constexpr double margin = 1e-9;
  const double across2 = x * x + y * y, length2 = across2 + z * z, length = std::sqrt(length2), height = std::fabs(z);
  const double longitude = quadrants(x, y);
  const double quadrant = whole(longitude);
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
inline std::uint32_t spread(std::uint32_t bits) {
  bits = (bits | bits << 8) & 0x00FF00FFU;
  bits = (bits | bits << 4) & 0x0F0F0F0FU;
  bits = (bits | bits << 2) & 0x33333333U;
  return (bits | bits << 1) & 0x55555555U;
}

/// Places on the diagonals in pixels, rounded down.
struct Diagonals {
  double falling[SkyPixels::at_once], rising[SkyPixels::at_once];
  double off_centre[SkyPixels::at_once];  ///< 1/2 on the border of a pixel, more if the place is in doubt
};

MULTIWALK_VECTOR_CLONES void find_diagonals(const double* x, const double* y, const double* z, std::size_t count,
                                            double side, Diagonals& at) {
#pragma omp simd
  for (std::size_t k = 0; k < count; ++k) {
    double f, r;
    const double doubt = place_on_diagonals(x[k], y[k], z[k], f, r);
    f *= side;
    r *= side;
    at.falling[k] = f >= 0 ? whole(f) : 0.0;  // at the poles f and r are not numbers
    at.rising[k] = r >= 0 ? whole(r) : 0.0;
    const double off_f = std::fabs(f - at.falling[k] - 0.5), off_r = std::fabs(r - at.rising[k] - 0.5);
    at.off_centre[k] = (off_f > off_r ? off_f : off_r) + doubt;
  }
}

MULTIWALK_VECTOR_CLONES void number_pixels(const Diagonals& at, std::size_t count, std::uint32_t side, int order,
                                           std::uint32_t* pixel) {
  const std::uint32_t inside = side - 1;
#pragma omp simd
  for (std::size_t k = 0; k < count; ++k) {
    const auto down = static_cast<std::int32_t>(at.falling[k]), up = static_cast<std::int32_t>(at.rising[k]);
    const std::int32_t f = down >> order, r = up >> order;
    const std::int32_t face = f == r ? f | 4 : f < r ? f : r + 8;
    const std::uint32_t ix = static_cast<std::uint32_t>(up) & inside;
    const std::uint32_t iy = inside - (static_cast<std::uint32_t>(down) & inside);
    pixel[k] = (static_cast<std::uint32_t>(face) << 2 * order) + (spread(ix) | spread(iy) << 1);
  }
}

}  // namespace

SkyPixels::SkyPixels(std::uint32_t nside)
    : nside_(nside), order_(std::countr_zero(nside)), healpix_(static_cast<std::int64_t>(nside), NEST, SET_NSIDE) {}

std::uint64_t SkyPixels::at(Vec3d direction) const {
  return static_cast<std::uint64_t>(healpix_.vec2pix(vec3(direction.x, direction.y, direction.z)));
}

Vec3d SkyPixels::centre(std::uint64_t pixel) const {
  const vec3 at = healpix_.pix2vec(static_cast<std::int64_t>(pixel));
  return {at.x, at.y, at.z};
}

void SkyPixels::find(const double* x, const double* y, const double* z, std::size_t count, std::uint64_t* pixel) const {
  constexpr double margin = 1e-6;  // in pixels: rounding errors are below 1e-8
  Diagonals at;
  std::uint32_t found[at_once];
  find_diagonals(x, y, z, count, nside_, at);
  number_pixels(at, count, nside_, order_, found);
  for (std::size_t k = 0; k < count; ++k) {
    pixel[k] = at.off_centre[k] < 0.5 - margin ? found[k] : this->at({x[k], y[k], z[k]});
  }
}

}  // namespace multiwalk
