// SPDX-License-Identifier: GPL-3.0-or-later
// Fourier sums over blocks of particles, for one instruction set; only isa_kernels.cpp includes it. Particles are in
// the lanes. A line of modes shares four products of x and y waves, which multiply every z wave.
#pragma once

#include "host/simd/mode_block.hpp"
#include "host/simd/simd_doubles.hpp"

namespace multiwalk::MULTIWALK_ISA {

MULTIWALK_HOST_DEVICE DoubleLanes load_lanes(const double* p) {
  return *reinterpret_cast<const DoubleLanes*>(p);
}
MULTIWALK_HOST_DEVICE void store_lanes(double* p, DoubleLanes lanes) {
  *reinterpret_cast<DoubleLanes*>(p) = lanes;
}

/// Address of a harmonic's cosines; its sines follow.
MULTIWALK_HOST_DEVICE double* wave_of(const ModeBlock& block, int axis, int harmonic) {
  return block.wave[axis] + 2 * harmonic * ModeBlock::capacity;
}

/// All harmonics from the first along each axis: e^(i(h+1)x) = e^(ihx) e^(ix).
inline void fill_waves(const ModeBlock& block) {
  constexpr int n = ModeBlock::capacity;
  for (int axis = 0; axis < 3; ++axis) {
    double* const zeroth = wave_of(block, axis, 0);
    for (int j = 0; j < n; ++j) zeroth[j] = 1;
    for (int j = 0; j < n; ++j) zeroth[n + j] = 0;
    const double* const first = wave_of(block, axis, 1);
    for (int h = 2; h < block.harmonics; ++h) {
      double* const next = wave_of(block, axis, h);
      const double* const last = wave_of(block, axis, h - 1);
      for (int j = 0; j < n; j += double_width) {
        const DoubleLanes c = load_lanes(last + j), s = load_lanes(last + n + j);
        const DoubleLanes c1 = load_lanes(first + j), s1 = load_lanes(first + n + j);
        store_lanes(next + j, c * c1 - s * s1);
        store_lanes(next + n + j, s * c1 + c * s1);
      }
    }
  }
}

inline void add_modes(const ModeLine* line, std::size_t lines, const ModeBlock& block, double* sums) {
  constexpr int n = ModeBlock::capacity;
  alignas(64) double product[4][n];
  fill_waves(block);
  for (const ModeLine* const end = line + lines; line != end; ++line) {
    const double *const x = wave_of(block, 0, line->x), *const y = wave_of(block, 1, line->y);
    for (int j = 0; j < n; j += double_width) {
      const DoubleLanes mass = load_lanes(block.mass + j);
      const DoubleLanes xc = mass * load_lanes(x + j), xs = mass * load_lanes(x + n + j);
      const DoubleLanes yc = load_lanes(y + j), ys = load_lanes(y + n + j);
      store_lanes(product[0] + j, xc * yc);
      store_lanes(product[1] + j, xs * yc);
      store_lanes(product[2] + j, xc * ys);
      store_lanes(product[3] + j, xs * ys);
    }
    for (int h = 0; h < line->waves; ++h) {
      const double* const z = wave_of(block, 2, h);
      DoubleLanes sum[8] = {};
      for (int j = 0; j < n; j += double_width) {
        const DoubleLanes zc = load_lanes(z + j), zs = load_lanes(z + n + j);
        for (int k = 0; k < 4; ++k) {
          const DoubleLanes p = load_lanes(product[k] + j);
          sum[k] += p * zc;
          sum[4 + k] += p * zs;
        }
      }
      double* const total = sums + line->first + 8 * h;
      for (int k = 0; k < 8; ++k) {
        for (int i = 0; i < double_width; ++i) total[k] += sum[k][i];
      }
    }
  }
}

/// Adds the contribution of the lines to the particles of one vector.
MULTIWALK_HOST_DEVICE void add_line(const ModeLine& line, const ModeBlock& block, const double* amplitude, int j,
                                    ModeField& field) {
  constexpr int n = ModeBlock::capacity;
  DoubleLanes value[4] = {}, slope[4] = {};  // along z
  for (int h = 0; h < line.waves; ++h) {
    const double *const z = wave_of(block, 2, h) + j, *const a = amplitude + line.first + 8 * h;
    const DoubleLanes zc = load_lanes(z), zs = load_lanes(z + n);
    const DoubleLanes slope_c = zs * static_cast<double>(-h), slope_s = zc * static_cast<double>(h);
    for (int k = 0; k < 4; ++k) {
      value[k] += a[k] * zc + a[4 + k] * zs;
      slope[k] += a[k] * slope_c + a[4 + k] * slope_s;
    }
  }
  const double *const x = wave_of(block, 0, line.x) + j, *const y = wave_of(block, 1, line.y) + j;
  const DoubleLanes xc = load_lanes(x), xs = load_lanes(x + n), yc = load_lanes(y), ys = load_lanes(y + n);
  const DoubleLanes of_xc = value[0] * yc + value[2] * ys, of_xs = value[1] * yc + value[3] * ys;
  const DoubleLanes along_y = xc * (value[2] * yc - value[0] * ys) + xs * (value[3] * yc - value[1] * ys);
  const DoubleLanes along_z = xc * (slope[0] * yc + slope[2] * ys) + xs * (slope[1] * yc + slope[3] * ys);
  store_lanes(field.slope[0] + j,
              load_lanes(field.slope[0] + j) + (of_xs * xc - of_xc * xs) * static_cast<double>(line.x));
  store_lanes(field.slope[1] + j, load_lanes(field.slope[1] + j) + along_y * static_cast<double>(line.y));
  store_lanes(field.slope[2] + j, load_lanes(field.slope[2] + j) + along_z);
  store_lanes(field.value + j, load_lanes(field.value + j) + (of_xc * xc + of_xs * xs));
}

inline void sum_modes(const ModeLine* line, std::size_t lines, const ModeBlock& block, const double* amplitude,
                      ModeField& field) {
  constexpr int n = ModeBlock::capacity;
  fill_waves(block);
  for (int j = 0; j < n; ++j) field.value[j] = field.slope[0][j] = field.slope[1][j] = field.slope[2][j] = 0;
  for (std::size_t l = 0; l < lines; ++l) {
    for (int j = 0; j < n; j += double_width) add_line(line[l], block, amplitude, j, field);
  }
}

}  // namespace multiwalk::MULTIWALK_ISA
