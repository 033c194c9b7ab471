// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors of one instruction set, chosen by the flags that this text is compiled with. The namespace carries the set's
// name, so that code for several sets links into one program: the kernels' objects, and a user's own (pair_sum.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include "host/base/host_device.hpp"

#if !defined(MULTIWALK_ISA) && defined(__AVX512F__)
#define MULTIWALK_ISA avx512
#elif !defined(MULTIWALK_ISA) && defined(__AVX2__)
#define MULTIWALK_ISA avx2
#elif !defined(MULTIWALK_ISA) && defined(__ARM_NEON)
#define MULTIWALK_ISA neon
#elif !defined(MULTIWALK_ISA)
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
using BitLanes [[gnu::vector_size(width * 4)]] = std::uint32_t;
using FamilyFloats [[gnu::vector_size(32)]] = float;  // always the eight children of a node
using FamilyInts [[gnu::vector_size(32)]] = std::int32_t;

/// Packed single-precision numbers with arithmetic; enough for pair_force.hpp.
struct Packed {
  FloatLanes v;

  MULTIWALK_HOST_DEVICE Packed() : v{} {}
  MULTIWALK_HOST_DEVICE Packed(FloatLanes lanes) : v(lanes) {}
  MULTIWALK_HOST_DEVICE explicit Packed(float x) : v(FloatLanes{} + x) {}
  MULTIWALK_HOST_DEVICE explicit Packed(double x) : v(FloatLanes{} + static_cast<float>(x)) {}

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

/// In double precision.
MULTIWALK_HOST_DEVICE double sum_lanes(Packed a) {
  using Half [[gnu::vector_size(width * 2)]] = float;
  using Doubles [[gnu::vector_size(width * 4)]] = double;
  Half half[2];
  __builtin_memcpy(half, &a.v, sizeof half);
  const Doubles pairs = __builtin_convertvector(half[0], Doubles) + __builtin_convertvector(half[1], Doubles);
  double part[width / 2];
  __builtin_memcpy(part, &pairs, sizeof part);
  for (int n = width / 4; n > 0; n /= 2) {
    for (int i = 0; i < n; ++i) part[i] += part[i + n];
  }
  return part[0];
}

/// Newton-Raphson steps improve the machine's estimate to a relative error below 2e-7.
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

/// 2^x = 2^n 2^f, n the nearest integer: within 2e-7, and twice the rounding of x, for -120 < x < 120.
MULTIWALK_HOST_DEVICE Packed exp2_of(Packed x) {
  constexpr float round = 12582912.0F;  // 1.5 x 2^23: adding it leaves the nearest integer in the low bits
  const FloatLanes shifted = x.v + round, f = x.v - (shifted - round);
  FloatLanes power = f * 1.33908634e-3F + 9.67603192e-3F;
  power = power * f + 5.55035711e-2F;
  power = power * f + 2.40221075e-1F;
  power = power * f + 6.93147188e-1F;
  power = power * f + 1.0F;
  const BitLanes n = reinterpret_cast<BitLanes>(shifted) << 23;
  return reinterpret_cast<FloatLanes>(reinterpret_cast<BitLanes>(power) + n);
}

/// Within 1e-6 for -80 < x < 80.
MULTIWALK_HOST_DEVICE Packed exp_of(Packed x) {
  return exp2_of(Packed(x.v * 1.44269504F));
}

MULTIWALK_HOST_DEVICE Packed zero_beyond(Packed value, Packed x, Packed limit) {
  return x.v <= limit.v ? value.v : FloatLanes{};
}

MULTIWALK_HOST_DEVICE Packed magnitude(Packed a) {
  return reinterpret_cast<FloatLanes>(reinterpret_cast<IntLanes>(a.v) & 0x7fffffff);
}
MULTIWALK_HOST_DEVICE Packed at_least_zero(Packed a) {
  return a.v > 0.0F ? a.v : FloatLanes{};
}

/// Bit i set where a_i <= b_i.
MULTIWALK_HOST_DEVICE unsigned at_most_bits(Packed a, Packed b) {
  const IntLanes mask = a.v <= b.v;
#if defined(__AVX512F__)
  return static_cast<unsigned>(_mm512_movepi32_mask(reinterpret_cast<__m512i>(mask)));
#elif defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
#else
  unsigned bits = 0;
  for (int i = 0; i < width; ++i) bits |= static_cast<unsigned>(mask[i] & 1) << i;
  return bits;
#endif
}

/// Aligned loads.
MULTIWALK_HOST_DEVICE FamilyFloats load_family(const float* p) {
  return *reinterpret_cast<const FamilyFloats*>(p);
}
MULTIWALK_HOST_DEVICE FamilyInts load_family(const std::int32_t* p) {
  return *reinterpret_cast<const FamilyInts*>(p);
}
MULTIWALK_HOST_DEVICE FamilyInts load_family(const std::uint32_t* p) {
  return *reinterpret_cast<const FamilyInts*>(p);
}

/// a - b modulo 2^32.
MULTIWALK_HOST_DEVICE FamilyInts difference(FamilyInts a, FamilyInts b) {
  using Unsigned [[gnu::vector_size(32)]] = std::uint32_t;
  return reinterpret_cast<FamilyInts>(reinterpret_cast<Unsigned>(a) - reinterpret_cast<Unsigned>(b));
}

MULTIWALK_HOST_DEVICE FamilyInts lane_numbers() {
  return FamilyInts{0, 1, 2, 3, 4, 5, 6, 7};
}

MULTIWALK_HOST_DEVICE FamilyFloats magnitude(FamilyFloats a) {
  return reinterpret_cast<FamilyFloats>(reinterpret_cast<FamilyInts>(a) & 0x7fffffff);
}

MULTIWALK_HOST_DEVICE FamilyFloats square_root(FamilyFloats a) {
  FamilyFloats root;
  for (int i = 0; i < 8; ++i) root[i] = __builtin_sqrtf(a[i]);
  return root;
}

/// a b + c, rounded once where the instruction set has an instruction for it.
MULTIWALK_HOST_DEVICE FamilyFloats fused(FamilyFloats a, FamilyFloats b, FamilyFloats c) {
#if defined(__AVX2__)
  return _mm256_fmadd_ps(a, b, c);
#else
  return a * b + c;
#endif
}

/// Bit i set where lane i is all ones.
MULTIWALK_HOST_DEVICE unsigned lane_bits(FamilyInts mask) {
#if defined(__AVX512DQ__)
  return static_cast<unsigned>(_mm256_movepi32_mask(reinterpret_cast<__m256i>(mask)));
#elif defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
#else
  unsigned bits = 0;
  for (int i = 0; i < 8; ++i) bits |= static_cast<unsigned>(mask[i] & 1) << i;
  return bits;
#endif
}

#if defined(__AVX2__) && !defined(__AVX512VL__)
/// The positions of the set bits of each byte, then zeros.
struct SetBits {
  std::uint8_t place[256][8] = {};

  constexpr SetBits() {
    for (unsigned bits = 0; bits < 256; ++bits) {
      unsigned count = 0;
      for (std::uint8_t i = 0; i < 8; ++i) {
        if ((bits >> i & 1U) != 0) place[bits][count++] = i;
      }
    }
  }
};
static constexpr SetBits set_bits;
#endif

/// Writes the lanes whose bits are set to destination[0...7], in order (entries behind them are overwritten); returns
/// their number.
MULTIWALK_HOST_DEVICE std::size_t append(std::uint32_t* destination, FamilyInts lanes, unsigned bits) {
#if defined(__AVX512VL__)
  const auto values = reinterpret_cast<__m256i>(lanes);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(destination),
                      _mm256_maskz_compress_epi32(static_cast<__mmask8>(bits), values));
#elif defined(__AVX2__)
  const __m128i places = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(set_bits.place[bits]));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(destination),
                      _mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(lanes), _mm256_cvtepu8_epi32(places)));
#else
  std::size_t count = 0;
  for (int i = 0; i < 8; ++i) {
    destination[count] = static_cast<std::uint32_t>(lanes[i]);
    count += bits >> i & 1U;
  }
#endif
  return static_cast<std::size_t>(__builtin_popcount(bits));
}

/// Writes the lanes whose bits are set to destination[0...], in order; up to `width` entries there may be overwritten.
MULTIWALK_HOST_DEVICE void compress(float* destination, Packed lanes, unsigned bits) {
#if defined(__AVX512F__)
  _mm512_storeu_ps(destination, _mm512_maskz_compress_ps(static_cast<__mmask16>(bits), lanes.v));
#elif defined(__AVX2__)
  const __m128i places = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(set_bits.place[bits]));
  _mm256_storeu_ps(destination, _mm256_permutevar8x32_ps(lanes.v, _mm256_cvtepu8_epi32(places)));
#else
  for (int i = 0, count = 0; i < width; ++i) {
    destination[count] = lanes.v[i];
    count += static_cast<int>(bits >> i & 1U);
  }
#endif
}

}  // namespace multiwalk::MULTIWALK_ISA
