// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sky/sky_pixels.hpp"

#include <bit>
#include <cmath>

#include "host/sky/sky_pixel.hpp"

namespace multiwalk {

namespace {

/// Elements of SkyPlace.
struct Diagonals {
  double falling[SkyPixels::at_once], rising[SkyPixels::at_once], off_centre[SkyPixels::at_once];
};

MULTIWALK_VECTOR_CLONES void find_diagonals(const double* x, const double* y, const double* z, std::size_t count,
                                            double side, Diagonals& at) {
#pragma omp simd
  for (std::size_t k = 0; k < count; ++k) {
    const SkyPlace place = sky_place(x[k], y[k], z[k], side);
    at.falling[k] = place.falling, at.rising[k] = place.rising, at.off_centre[k] = place.off_centre;
  }
}

MULTIWALK_VECTOR_CLONES void number_pixels(const Diagonals& at, std::size_t count, std::uint32_t side, int order,
                                           std::uint32_t* pixel) {
#pragma omp simd
  for (std::size_t k = 0; k < count; ++k) pixel[k] = sky_pixel(at.falling[k], at.rising[k], side, order);
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

std::vector<std::uint64_t> SkyPixels::around(std::uint64_t pixel) const {
  fix_arr<std::int64_t, 8> found;
  healpix_.neighbors(static_cast<std::int64_t>(pixel), found);
  std::vector<std::uint64_t> pixels;
  for (tsize k = 0; k < found.size(); ++k) {
    if (found[k] >= 0) pixels.push_back(static_cast<std::uint64_t>(found[k]));
  }
  return pixels;
}

void SkyPixels::find(const double* x, const double* y, const double* z, std::size_t count, std::uint64_t* pixel) const {
  Diagonals at;
  std::uint32_t found[at_once];
  find_diagonals(x, y, z, count, nside_, at);
  number_pixels(at, count, nside_, order_, found);
  for (std::size_t k = 0; k < count; ++k) {
    const bool in_doubt = SkyPlace{at.falling[k], at.rising[k], at.off_centre[k]}.in_doubt();
    pixel[k] = in_doubt ? this->at({x[k], y[k], z[k]}) : found[k];
  }
}

}  // namespace multiwalk
