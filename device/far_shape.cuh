// How a thread block shares out the far cells of one walk over its warps.
#pragma once

#include <cuda_runtime.h>

namespace multiwalk {

inline constexpr unsigned far_warps = 8;   ///< per block
inline constexpr unsigned far_blocks = 2;  ///< per multiprocessor, at least
inline constexpr unsigned far_threads = 32 * far_warps;
inline constexpr unsigned most_far_rows = 4;  ///< rows of 16 targets per warp

/// Targets are cut into rows of 16. `sets` sets of `width` warps: in one pass every set holds the same rows, `rows` per
/// warp, and sees every sets-th block of 8 cells; there are `passes` passes over the cells.
struct FarShape {
  unsigned rows;
  unsigned passes;
  unsigned width;
  unsigned sets;

  /// Rows of a pass (the last pass may have fewer).
  __device__ unsigned pass_rows(unsigned target_count) const {
    return ((target_count + 15) / 16 + passes - 1) / passes;
  }
};

/// The cheapest of 32 shapes, a lane of the warp each. Costs are issue slots per block of 8 cells and warp: of a row
/// with quadrupoles, of loads from shared memory, and a warp's share of the gathering.
__device__ inline FarShape choose_far_shape(unsigned target_count) {
  const auto shape_of = [target_count](unsigned choice) {
    constexpr unsigned most = 16 * far_warps * most_far_rows;
    FarShape shape{1 + choice % most_far_rows, (target_count + most - 1) / most + choice / most_far_rows, 0, 0};
    shape.width = (shape.pass_rows(target_count) + shape.rows - 1) / shape.rows;
    shape.sets = far_warps / shape.width;
    return shape;
  };
  constexpr float row = 51, load = 12, gather = 8;
  const unsigned lane = threadIdx.x % 32;
  const FarShape mine = shape_of(lane);
  float cost = 1e30F;
  if (mine.sets > 0) {
    const float evaluate = (row * static_cast<float>(mine.rows) + load) / static_cast<float>(mine.sets);
    cost = static_cast<float>(mine.passes) * (evaluate + gather);
  }
  return shape_of(__reduce_min_sync(~0U, (__float_as_uint(cost) & ~31U) | lane) & 31U);
}

}  // namespace multiwalk
