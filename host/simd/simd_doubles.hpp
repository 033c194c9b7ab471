// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors of doubles to accompany those of simd_vector.hpp, with the same arithmetic, and sums over lanes of both.
#pragma once

#include "host/simd/simd_vector.hpp"

namespace multiwalk::MULTIWALK_ISA {

inline constexpr int double_width = width / 2;
using DoubleLanes [[gnu::vector_size(width * 4)]] = double;
using LongLanes [[gnu::vector_size(width * 4)]] = std::int64_t;

/// Packed double-precision numbers with arithmetic.
struct PackedDouble {
  DoubleLanes v;

  MULTIWALK_HOST_DEVICE PackedDouble() : v{} {}
  MULTIWALK_HOST_DEVICE PackedDouble(DoubleLanes lanes) : v(lanes) {}
  MULTIWALK_HOST_DEVICE explicit PackedDouble(double x) : v(DoubleLanes{} + x) {}

  friend MULTIWALK_HOST_DEVICE PackedDouble operator+(PackedDouble a, PackedDouble b) { return a.v + b.v; }
  friend MULTIWALK_HOST_DEVICE PackedDouble operator-(PackedDouble a, PackedDouble b) { return a.v - b.v; }
  friend MULTIWALK_HOST_DEVICE PackedDouble operator*(PackedDouble a, PackedDouble b) { return a.v * b.v; }
  MULTIWALK_HOST_DEVICE PackedDouble& operator+=(PackedDouble b) {
    v += b.v;
    return *this;
  }
};

/// Relative error below 4e-16.
MULTIWALK_HOST_DEVICE PackedDouble inverse_sqrt(PackedDouble a) {
#if defined(__AVX512F__)
  // With h = 1 - a y^2, 1/sqrt(a) = y (1 - h)^(-1/2): the first four terms of its series.
  const DoubleLanes y = _mm512_maskz_rsqrt14_pd(0xff, a.v);
  const DoubleLanes h = 1.0 - (a.v * y) * y;
  return y + (y * h) * (0.5 + h * (0.375 + h * 0.3125));
#else
  DoubleLanes root{};
  for (int i = 0; i < double_width; ++i) root[i] = __builtin_sqrt(a.v[i]);
  return 1.0 / root;
#endif
}

MULTIWALK_HOST_DEVICE PackedDouble inverse_sqrt_or_zero(PackedDouble a) {
  const LongLanes apart = a.v > 0.0;
  const PackedDouble y = inverse_sqrt(PackedDouble(apart ? a.v : DoubleLanes{} + 1.0));
  return apart ? y.v : DoubleLanes{};
}

MULTIWALK_HOST_DEVICE PackedDouble exp_of(PackedDouble x) {
  DoubleLanes power{};
  for (int i = 0; i < double_width; ++i) power[i] = __builtin_exp(x.v[i]);
  return power;
}

MULTIWALK_HOST_DEVICE PackedDouble zero_beyond(PackedDouble value, PackedDouble x, PackedDouble limit) {
  return x.v <= limit.v ? value.v : DoubleLanes{};
}
MULTIWALK_HOST_DEVICE PackedDouble at_least_zero(PackedDouble a) {
  return a.v > 0.0 ? a.v : DoubleLanes{};
}

/// The first `count` lanes; 0 in the others.
MULTIWALK_HOST_DEVICE Packed first_lanes(Packed a, int count) {
  IntLanes number;
  for (int i = 0; i < width; ++i) number[i] = i;
  return number < count ? a.v : FloatLanes{};
}
MULTIWALK_HOST_DEVICE PackedDouble first_lanes(PackedDouble a, int count) {
  LongLanes number;
  for (int i = 0; i < double_width; ++i) number[i] = i;
  return number < static_cast<std::int64_t>(count) ? a.v : DoubleLanes{};
}

/// Sums of all lanes, in double precision.
MULTIWALK_HOST_DEVICE double total(DoubleLanes a) {
  using Two [[gnu::vector_size(16)]] = double;
  union {
    DoubleLanes all;
    Two part[double_width / 2];
  } const lanes{a};
  Two sum = lanes.part[0];
  for (int i = 1; i < double_width / 2; ++i) sum += lanes.part[i];
  return sum[0] + sum[1];
}
MULTIWALK_HOST_DEVICE double total(FloatLanes a) {
  using Half [[gnu::vector_size(width * 2)]] = float;
  union {
    FloatLanes all;
    Half half[2];
  } const lanes{a};
  return total(__builtin_convertvector(lanes.half[0], DoubleLanes) +
               __builtin_convertvector(lanes.half[1], DoubleLanes));
}

}  // namespace multiwalk::MULTIWALK_ISA
