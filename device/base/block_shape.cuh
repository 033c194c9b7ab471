// SPDX-License-Identifier: GPL-3.0-or-later
// How a thread block distributes one walk over its workers (threads or warps): which targets a worker holds and which
// of the sources it sees.
#pragma once

#include <cuda_runtime.h>

namespace multiwalk {

/// `sets` sets of `width` workers. In one pass every set holds the same items (targets, or rows of them), at most
/// `each` per worker, and sees its part of each tile of sources; there are `passes` passes over the list.
struct BlockShape {
  unsigned each;
  unsigned passes;
  unsigned width;
  unsigned sets;

  /// Items of a pass (the last pass may have fewer).
  __device__ unsigned pass_items(unsigned items) const { return (items + passes - 1) / passes; }
};

/// Issue slots per source (or block of sources) and worker: of an item, of a load from shared memory, and a worker's
/// share of the gathering.
struct BlockCost {
  float item, load, gather;
};

/// The cheapest of 32 shapes, a lane of the warp each, for `workers` workers that hold `most` items at most.
template <unsigned workers, unsigned most>
__device__ BlockShape cheapest_shape(unsigned items, BlockCost slots) {
  const auto shape_of = [items](unsigned choice) {
    BlockShape shape{1 + choice % most, (items + workers * most - 1) / (workers * most) + choice / most, 0, 0};
    shape.width = (shape.pass_items(items) + shape.each - 1) / shape.each;
    shape.sets = workers / shape.width;
    return shape;
  };
  const unsigned lane = threadIdx.x % 32;
  const BlockShape mine = shape_of(lane);
  float cost = 1e30F;
  if (mine.sets > 0) {
    const float evaluate = (slots.item * static_cast<float>(mine.each) + slots.load) / static_cast<float>(mine.sets);
    cost = static_cast<float>(mine.passes) * (evaluate + slots.gather);
  }
  return shape_of(__reduce_min_sync(~0U, (__float_as_uint(cost) & ~31U) | lane) & 31U);
}

}  // namespace multiwalk
