// SPDX-License-Identifier: GPL-3.0-or-later
// Data for the kernels of Fourier sums.
#pragma once

#include <cstddef>

namespace multiwalk {

/// The modes (x, y, 0), (x, y, 1), ... with both signs of each component. For every z there are eight numbers from
/// `first` on, the products of one wave along each axis: sines for x, y, z where bits 1, 2, 4 of the number's position
/// are set.
struct ModeLine {
  int x, y, waves;
  std::size_t first;
};

/// Particles whose waves are side by side. Arrays are 64-byte aligned.
struct ModeBlock {
  static constexpr int capacity = 256;

  int harmonics;    ///< 0, 1, ... harmonics - 1; at least 2
  double* wave[3];  ///< (harmonics, 2, capacity) by axis: cosines, sines; harmonic 1 is given, the others are computed
  double* mass;     ///< (capacity)
};

/// A sum of modes and its derivatives, in units of the fundamental, for a block.
struct alignas(64) ModeField {
  double value[ModeBlock::capacity];
  double slope[3][ModeBlock::capacity];
};

}  // namespace multiwalk
