// SPDX-License-Identifier: GPL-3.0-or-later
// The HEALPix pixels of many directions at a time.
#pragma once

#include <healpix_cxx/healpix_base.h>

#include <cstdint>
#include <span>
#include <vector>

#include "host/base/vec3.hpp"

namespace multiwalk {

/// Pixels in the nested scheme, the same as the library's (vec2pix) for every direction. Directions that lie closer to
/// the border of a pixel than the rounding errors of the fast formulas are left to the library.
class SkyPixels {
 public:
  /// Directions that are treated together.
  static constexpr std::size_t at_once = 64;

  /// `nside`: a power of 2, at most 16384.
  explicit SkyPixels(std::uint32_t nside);

  [[nodiscard]] std::uint32_t nside() const { return nside_; }
  [[nodiscard]] std::uint64_t number() const { return 12 * std::uint64_t{nside_} * nside_; }
  [[nodiscard]] std::uint64_t at(Vec3d direction) const;
  /// The unit vector to the centre of a pixel.
  [[nodiscard]] Vec3d centre(std::uint64_t pixel) const;
  /// The seven or eight pixels that touch a pixel (six for nside = 1).
  [[nodiscard]] std::vector<std::uint64_t> around(std::uint64_t pixel) const;

  /// The pixels of `count` <= at_once directions (x[k], y[k], z[k]) of any length.
  void find(const double* x, const double* y, const double* z, std::size_t count, std::uint64_t* pixel) const;

 private:
  std::uint32_t nside_;
  int order_ = 0;  ///< nside = 2^order
  T_Healpix_Base<std::int64_t> healpix_;
};

}  // namespace multiwalk
