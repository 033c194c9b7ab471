// Vectors of one instruction set, chosen by the flags this text is compiled with. Only isa_kernels.cpp includes it; the
// namespace carries the set's name, so that code of several sets links into one program.
#pragma once

#include <cstdint>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include "host/base/host_device.hpp"

#ifndef MULTIWALK_ISA
#define MULTIWALK_ISA portable
#endif

namespace multiwalk::MULTIWALK_ISA {

#if defined(__AVX512F__)
inline constexpr int width = 16;
inline constexpr int targets_at_once = 2;
#elif defined(__AVX2__)
inline constexpr int width = 8;
inline constexpr int targets_at_once = 2;
#else
inline constexpr int width = 4;
inline constexpr int targets_at_once = 2;
#endif

using FloatLanes [[gnu::vector_size(width * 4)]] = float;
using IntLanes [[gnu::vector_size(width * 4)]] = std::int32_t;
using DoubleLanes [[gnu::vector_size(64)]] = double;  // always the eight children of a node
using LongLanes [[gnu::vector_size(64)]] = std::int64_t;

/// Packed single-precision numbers with arithmetic; enough for pair_force.hpp.
struct Packed {
  FloatLanes v;

  MULTIWALK_HOST_DEVICE Packed() : v{} {}
  MULTIWALK_HOST_DEVICE Packed(FloatLanes lanes) : v(lanes) {}
  MULTIWALK_HOST_DEVICE explicit Packed(float x) : v(FloatLanes{} + x) {}

  friend MULTIWALK_HOST_DEVICE Packed operator+(Packed a, Packed b) { return a.v + b.v; }
  friend MULTIWALK_HOST_DEVICE Packed operator-(Packed a, Packed b) { return a.v - b.v; }
  friend MULTIWALK_HOST_DEVICE Packed operator*(Packed a, Packed b) { return a.v * b.v; }
  MULTIWALK_HOST_DEVICE Packed& operator+=(Packed b) {
    v += b.v;
    return *this;
  }
};

/// Aligned load.
MULTIWALK_HOST_DEVICE Packed load(const float* p) {
  return *reinterpret_cast<const FloatLanes*>(p);
}

MULTIWALK_HOST_DEVICE double sum_lanes(Packed a) {
  double sum = 0;
  for (int i = 0; i < width; ++i) sum += static_cast<double>(a.v[i]);
  return sum;
}

/// Newton-Raphson steps raise the machine's estimate to a relative error below 2e-7.
MULTIWALK_HOST_DEVICE Packed inverse_sqrt(Packed a) {
#if defined(__AVX512F__)
  const FloatLanes y = _mm512_maskz_rsqrt14_ps(0xffff, a.v);
#elif defined(__AVX2__)
  const FloatLanes y = _mm256_rsqrt_ps(a.v);
#elif defined(__ARM_NEON)
  FloatLanes y = vrsqrteq_f32(a.v);
  y = y + (0.5F * y) * (1.0F - a.v * y * y);
#else
  FloatLanes y;
  for (int i = 0; i < width; ++i) y[i] = 1.0F / __builtin_sqrtf(a.v[i]);
  return y;
#endif
  return y + (0.5F * y) * (1.0F - (a.v * y) * y);
}

MULTIWALK_HOST_DEVICE Packed inverse_sqrt_or_zero(Packed a) {
  const IntLanes apart = a.v > 1e-22F;
  const Packed y = inverse_sqrt(apart ? a.v : FloatLanes{} + 1.0F);
  return apart ? y.v : FloatLanes{};
}

/// Bit i set where lane i is all ones.
MULTIWALK_HOST_DEVICE unsigned lane_bits(LongLanes mask) {
#if defined(__AVX512DQ__)
  return static_cast<unsigned>(_mm512_movepi64_mask(reinterpret_cast<__m512i>(mask)));
#else
  unsigned bits = 0;
  for (int i = 0; i < 8; ++i) bits |= static_cast<unsigned>(mask[i] & 1) << i;
  return bits;
#endif
}

}  // namespace multiwalk::MULTIWALK_ISA
