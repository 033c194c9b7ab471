// How a thread block shares out one walk: which targets a thread holds and which of the sources it sees.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace multiwalk {

inline constexpr unsigned block_threads = 256;
inline constexpr unsigned most_targets = 6;  ///< per thread

/// `sets` sets of `width` threads. In one pass every set holds the same targets, `targets` per thread, and sees its
/// part of each tile of sources; there are `passes` passes over the list.
struct WalkShape {
  unsigned targets;
  unsigned passes;
  unsigned width;
  unsigned sets;

  /// Targets of a pass (the last pass may have fewer).
  __device__ unsigned pass_targets(unsigned target_count) const { return (target_count + passes - 1) / passes; }
  /// Sources of a tile: every set sees equally many.
  __device__ unsigned tile() const { return block_threads / sets * sets; }
};

/// The cheapest of 30 shapes, a lane of the warp each. Costs are issue slots per source and thread, from the
/// instructions of a monopole pair, of a load from shared memory and of the gathering of a source.
__device__ inline WalkShape choose_shape(unsigned target_count) {
  const auto shape_of = [target_count](unsigned choice) {
    constexpr unsigned most = block_threads * most_targets;
    WalkShape shape{1 + choice % most_targets, (target_count + most - 1) / most + choice / most_targets, 0, 0};
    shape.width = (shape.pass_targets(target_count) + shape.targets - 1) / shape.targets;
    shape.sets = block_threads / shape.width;
    return shape;
  };
  constexpr float pair = 14, load = 3, gather = 0.5F;
  const unsigned lane = threadIdx.x % 32;
  const WalkShape mine = shape_of(lane);
  float cost = 1e30F;
  if (mine.sets > 0) {
    const float evaluate = (pair * static_cast<float>(mine.targets) + load) / static_cast<float>(mine.sets);
    cost = static_cast<float>(mine.passes) * (evaluate + gather);
  }
  return shape_of(__reduce_min_sync(~0U, (__float_as_uint(cost) & ~31U) | lane) & 31U);
}

}  // namespace multiwalk
