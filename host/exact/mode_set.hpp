// SPDX-License-Identifier: GPL-3.0-or-later
// Direct Fourier sums in a periodic box, in double precision: the modes of a set of masses, and fields made of modes.
// They use products of cosines and sines along the axes: with c, s = cos, sin(2 pi h x / L), the eight modes (+-hx,
// +-hy, +-hz) of a mass at x' are, at x, 8 (cx cx' + sx sx') (cy cy' + sy sy') (cz cz' + sz sz').
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/base/vec3.hpp"
#include "host/simd/mode_block.hpp"
#include "host/simd/simd_kernels.hpp"

namespace multiwalk {

/// Masses in a box; positions may differ from it by any number of periods.
struct BoxMasses {
  std::span<const Vec3d> position;  ///< (N) in the unit of box_size
  std::span<const float> mass;      ///< (N)
  double box_size;
};

/// The modes with |h| <= reach, h = k L / 2 pi. Work per particle and mode, where h and -h are one: about 5 flops for
/// the sums and 10 for a field.
class ModeSet {
 public:
  /// Throws InputError unless 1 <= reach <= 64.
  explicit ModeSet(double reach, const SimdKernels& kernels = simd_kernels());

  /// The number of modes, where h and -h are one.
  [[nodiscard]] std::uint64_t modes() const { return modes_; }
  /// Sums over the masses of each product of three waves; the first is the total mass. Parallel; the result has the
  /// same bits for any number of threads.
  [[nodiscard]] std::vector<double> sums(const BoxMasses& masses) const;
  /// Multiplies such sums (or their total over ranks) by weight(h^2): amplitudes of the sum over all h, both signs.
  template <class Weight>
  void weigh(std::span<double> sums, Weight weight) const {
    for (const ModeLine& line : lines_) {
      for (int z = 0; z < line.waves; ++z) {
        const double number = (line.x > 0 ? 2 : 1) * (line.y > 0 ? 2 : 1) * (z > 0 ? 2 : 1);
        const double factor = number * weight(line.x * line.x + line.y * line.y + z * z);
        for (std::size_t k = 0; k < 8; ++k) sums[line.first + 8 * static_cast<std::size_t>(z) + k] *= factor;
      }
    }
  }
  /// Adds the field of these amplitudes to potential (N) and minus its gradient to acceleration (N). Parallel.
  void add_field(std::span<const double> amplitudes, std::span<const Vec3d> position, double box_size,
                 std::span<Vec3f> acceleration, std::span<float> potential) const;

 private:
  const SimdKernels* kernels_;
  std::vector<ModeLine> lines_;
  int harmonics_;
  std::size_t numbers_ = 0;
  std::uint64_t modes_ = 0;
};

}  // namespace multiwalk
