// SPDX-License-Identifier: GPL-3.0-or-later
// Products of small TF32 matrices by one warp on tensor cores. A fragment is the part of a matrix that a lane holds;
// with g = lane / 4 and t = lane % 4,
//   rows (16 x 8): [g][t], [g + 8][t], [g][t + 4], [g + 8][t + 4];   rows (16 x 4): [g][t], [g + 8][t];
//   columns (8 x 8): [t][g], [t + 4][g];   columns (4 x 8): [t][g];
//   sums (16 x 8): [g][2 t], [g][2 t + 1], [g + 8][2 t], [g + 8][2 t + 1]
// (PTX ISA, mma.m16n8k8 and m16n8k4 with .tf32). The last 13 bits of the factors are ignored.
#pragma once

#include <cuda_runtime.h>

namespace multiwalk {

/// start + rows (16 x 8) columns (8 x 8).
__device__ __forceinline__ float4 multiply(float4 rows, float2 columns, float4 start) {
  float4 sum;
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
      : "=f"(sum.x), "=f"(sum.y), "=f"(sum.z), "=f"(sum.w)
      : "r"(__float_as_uint(rows.x)), "r"(__float_as_uint(rows.y)), "r"(__float_as_uint(rows.z)),
        "r"(__float_as_uint(rows.w)), "r"(__float_as_uint(columns.x)), "r"(__float_as_uint(columns.y)), "f"(start.x),
        "f"(start.y), "f"(start.z), "f"(start.w));
  return sum;
}

/// start + rows (16 x 4) columns (4 x 8).
__device__ __forceinline__ float4 multiply(float2 rows, float columns, float4 start) {
  float4 sum;
  asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10};"
      : "=f"(sum.x), "=f"(sum.y), "=f"(sum.z), "=f"(sum.w)
      : "r"(__float_as_uint(rows.x)), "r"(__float_as_uint(rows.y)), "r"(__float_as_uint(columns)), "f"(start.x),
        "f"(start.y), "f"(start.z), "f"(start.w));
  return sum;
}

}  // namespace multiwalk
