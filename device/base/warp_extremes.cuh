// SPDX-License-Identifier: GPL-3.0-or-later
// The extremes of a value over the threads of a warp, in all of them.
#pragma once

namespace multiwalk {

__device__ inline double warp_min(double x) {
#pragma unroll
  for (unsigned step = 16; step > 0; step /= 2) x = fmin(x, __shfl_xor_sync(~0U, x, step));
  return x;
}
__device__ inline double warp_max(double x) {
  return -warp_min(-x);
}

}  // namespace multiwalk
