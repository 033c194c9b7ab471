// SPDX-License-Identifier: GPL-3.0-or-later
// Ranges of the leaves that a walk has opened; adjacent ones are merged.
#pragma once

#include <cstdint>

#include "host/tree/octree.hpp"
#include "host/walk/walk_batch.hpp"

namespace multiwalk {

struct MergedLeaves {
  std::uint32_t ranges = 0;
  std::uint32_t sources = 0;  ///< particles in the ranges
};

/// By one warp. `range` null: only counts.
__device__ inline MergedLeaves merge_leaves(const Node* node, const std::uint32_t* leaf, std::uint32_t leaves,
                                            ParticleRange* range) {
  constexpr unsigned all = ~0U, lanes = 32;
  const unsigned lane = threadIdx.x % lanes;
  MergedLeaves merged;
  std::uint32_t last_first = 0, last_end = 0;  // of the last range so far
  for (std::uint32_t base = 0; base < leaves; base += lanes) {
    const bool exists = base + lane < leaves;
    std::uint32_t first = 0, count = 0;
    if (exists) {
      const Node& mine = node[leaf[base + lane]];
      first = mine.first;
      count = mine.count;
    }
    const std::uint32_t end = first + count, neighbour = __shfl_up_sync(all, end, 1);
    const std::uint32_t before = lane == 0 ? last_end : neighbour;
    const unsigned begun = __ballot_sync(all, exists && (base + lane == 0 || before != first));
    const unsigned up_to_mine = begun & ((2U << lane) - 1), last_lane = min(lanes, leaves - base) - 1;
    const std::uint32_t own_first = __shfl_sync(all, first, up_to_mine != 0 ? 31 - __clz(up_to_mine) : lane);
    const std::uint32_t range_first = up_to_mine != 0 ? own_first : last_first;
    const bool ends = lane == last_lane || (lane < last_lane && (begun >> (lane + 1) & 1U) != 0);
    if (range != nullptr && ends) range[merged.ranges + __popc(up_to_mine) - 1] = {range_first, end - range_first};
    merged.ranges += __popc(begun);
    merged.sources += __reduce_add_sync(all, count);
    last_first = __shfl_sync(all, range_first, last_lane);
    last_end = __shfl_sync(all, end, last_lane);
    __syncwarp();
  }
  return merged;
}

}  // namespace multiwalk
