// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a cloud from a mesh, for one instruction set; only isa_kernels.cpp includes it.
#pragma once

#include "host/simd/simd_vector.hpp"

namespace multiwalk::MULTIWALK_ISA {

using FourDoubles [[gnu::vector_size(32)]] = double;

MULTIWALK_HOST_DEVICE FourDoubles load_four(const double* p) {
  FourDoubles four;
  __builtin_memcpy(&four, p, sizeof four);
  return four;
}

inline double read_cloud(const double* const* line, const double* x, const double* y, const double* z) {
  FourDoubles sum{};
  for (int i = 0; i < 4; ++i) {
    FourDoubles plane{};
    for (int j = 0; j < 4; ++j) plane += y[j] * load_four(line[4 * i + j]);
    sum += x[i] * plane;
  }
  sum *= load_four(z);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace multiwalk::MULTIWALK_ISA
