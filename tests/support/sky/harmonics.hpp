// SPDX-License-Identifier: GPL-3.0-or-later
// Spherical harmonics and pixel windows by recurrences and sums over directions.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "analysis/sky/sky_pixels.hpp"

namespace multiwalk::test {

/// Real orthonormal harmonics with 0 <= l <= lmax at a direction: l (l + 1) + m is the place of (l, m), -l <= m <= l.
inline std::vector<double> real_harmonics(Vec3d n, std::uint32_t lmax) {
  std::vector<double> values((lmax + 1) * (lmax + 1));
  const double longitude = std::atan2(n.y, n.x), across = std::hypot(n.x, n.y);
  double sectoral = std::sqrt(1 / (4 * std::numbers::pi));  // l = m
  for (std::uint32_t m = 0; m <= lmax; ++m) {
    if (m > 0) sectoral *= across * std::sqrt((2 * m + 1.0) / (2 * m));
    const double norm = m == 0 ? 1 : std::numbers::sqrt2;
    const double along = norm * std::cos(m * longitude), aside = norm * std::sin(m * longitude);
    double before = 0, now = sectoral;
    for (std::uint32_t l = m; l <= lmax; ++l) {
      const std::uint32_t centre = l * (l + 1);
      values[centre + m] = now * along;
      if (m > 0) values[centre - m] = now * aside;
      const double l0 = l, l1 = l + 1.0, m2 = std::pow(m, 2);
      const double up = std::sqrt((4 * l1 * l1 - 1) / (l1 * l1 - m2));
      const double back = l == m ? 0 : std::sqrt((l0 * l0 - m2) / (4 * l0 * l0 - 1));
      const double next = up * (n.z * now - back * before);
      before = now, now = next;
    }
  }
  return values;
}

/// Means over pixels of a random field whose (2l + 1) amplitudes have exactly the mean square `power[l]`: each pixel
/// has the mean of 4^finer smaller ones.
inline std::vector<double> sky_of_power(const std::vector<double>& power, std::uint32_t nside, int finer) {
  const auto lmax = static_cast<std::uint32_t>(power.size() - 1);
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::vector<double> amplitude;
  for (std::uint32_t l = 0; l <= lmax; ++l) {
    double square = 0;
    for (std::uint32_t k = 0; k <= 2 * l; ++k) {
      amplitude.push_back(normal(random));
      square += amplitude.back() * amplitude.back();
    }
    const double unit = std::sqrt(power[l] * (2 * l + 1) / square);
    for (std::uint32_t k = 0; k <= 2 * l; ++k) amplitude[l * l + k] *= unit;
  }
  const SkyPixels fine(nside << finer);
  const std::uint64_t parts = std::uint64_t{1} << (2 * finer);
  std::vector<double> map(12 * std::uint64_t{nside} * nside, 0);
  for (std::uint64_t p = 0; p < fine.number(); ++p) {
    const std::vector<double> y = real_harmonics(fine.centre(p), lmax);
    for (std::size_t k = 0; k < y.size(); ++k) map[p / parts] += amplitude[k] * y[k] / static_cast<double>(parts);
  }
  return map;
}

/// Mean squares of the amplitudes of a map of pixels, by the sum over their centres.
inline std::vector<double> power_of_map(const std::vector<double>& map, std::uint32_t nside, std::uint32_t lmax) {
  const SkyPixels sky(nside);
  std::vector<double> amplitude((lmax + 1) * (lmax + 1), 0), power(lmax + 1, 0);
  for (std::uint64_t p = 0; p < map.size(); ++p) {
    if (map[p] == 0) continue;
    const std::vector<double> y = real_harmonics(sky.centre(p), lmax);
    for (std::size_t k = 0; k < y.size(); ++k) amplitude[k] += map[p] * y[k];
  }
  const double area = 4 * std::numbers::pi / static_cast<double>(map.size());
  for (std::uint32_t l = 0, k = 0; l <= lmax; ++l) {
    for (; k < (l + 1) * (l + 1); ++k) power[l] += area * area * amplitude[k] * amplitude[k] / (2 * l + 1);
  }
  return power;
}

/// The share of the power at each l <= lmax that remains in means over pixels: the mean of P_l over pairs of directions
/// in the same pixel, which are the centres of 4^finer smaller ones. Two base pixels stand for all twelve.
inline std::vector<double> pixel_windows(std::uint32_t nside, std::uint32_t lmax, int finer) {
  const std::uint64_t parts = std::uint64_t{1} << (2 * finer);
  const SkyPixels fine(nside << finer);
  const std::uint64_t base = std::uint64_t{nside} * nside;
  std::vector<double> window(lmax + 1, 0);
  for (std::uint64_t p = 0; p < 2 * base; ++p) {
    const std::uint64_t pixel = p < base ? p : 3 * base + p;                          // of the base pixels 0 and 4
    const double share = (p < base ? 2.0 : 1.0) / (3.0 * static_cast<double>(base));  // eight polar, four equatorial
    std::vector<Vec3d> place;
    for (std::uint64_t i = 0; i < parts; ++i) place.push_back(fine.centre(pixel * parts + i));
    for (const Vec3d& one : place) {
      for (const Vec3d& two : place) {
        const double x = dot(one, two), weight = share / static_cast<double>(parts * parts);
        double before = 0, now = 1;
        for (std::uint32_t l = 0; l <= lmax; ++l) {
          window[l] += weight * now;
          const double next = ((2 * l + 1) * x * now - l * before) / (l + 1);
          before = now, now = next;
        }
      }
    }
  }
  return window;
}

}  // namespace multiwalk::test
