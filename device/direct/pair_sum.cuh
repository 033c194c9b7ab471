// Any pair interaction (host/direct/pair_interaction.hpp) on a device. Each thread holds a few targets in registers;
// sources pass through shared memory in tiles that all threads of a block read (Nyland, Harris & Prins 2007). Blocks
// share out targets, and parts of the sources where targets alone would leave multiprocessors idle (Hamada & Iitaka
// 2007: j-parallel).
#pragma once

#include <algorithm>
#include <cstddef>

#include "device/blocks_for.cuh"
#include "device/direct/pair_accumulator.cuh"
#include "device/stream.cuh"
#include "host/direct/pair_interaction.hpp"

namespace multiwalk {

inline constexpr unsigned pair_sum_threads = 128;

/// A record in device memory, so aligned that it is read in whole vectors.
template <class Record>
struct alignas(16) Aligned {
  Record record;
};

/// Where a sum over pairs is done: `each` targets a thread, sources in `parts` parts.
struct PairSumShape {
  unsigned each = 1;
  unsigned parts = 1;
};

/// A shape that fills a device of so many multiprocessors.
inline PairSumShape pair_sum_shape(std::size_t targets, std::size_t sources, unsigned multiprocessors) {
  constexpr unsigned most_each = 4, blocks_wanted = 8;  // blocks of each multiprocessor
  constexpr std::size_t least_part = 64;
  const std::size_t wanted = std::size_t{multiprocessors} * blocks_wanted;
  PairSumShape shape{most_each, 1};
  const auto blocks = [&] { return (targets + pair_sum_threads * shape.each - 1) / (pair_sum_threads * shape.each); };
  while (shape.each > 1 && blocks() * (sources / least_part + 1) < wanted) shape.each /= 2;
  const std::size_t parts = (wanted + blocks() - 1) / blocks();
  shape.parts = static_cast<unsigned>(std::max<std::size_t>(1, std::min(parts, sources / least_part)));
  return shape;
}

/// The sources begin...end - 1 of a block's part, to act(tile, count) in tiles of at most pair_sum_threads.
template <class Source, class Act>
__device__ void for_each_source_tile(const Aligned<Source>* __restrict__ source, std::size_t begin, std::size_t end,
                                     Aligned<Source>* tile, const Act& act) {
  for (std::size_t first = begin; first < end; first += pair_sum_threads) {
    const auto count = static_cast<unsigned>(min(std::size_t{pair_sum_threads}, end - first));
    __syncthreads();
    if (threadIdx.x < count) tile[threadIdx.x] = source[first + threadIdx.x];
    __syncthreads();
    act(count);
  }
}

/// sum[part N + i]: what a part of the sources adds to target i.
template <class Interaction, class Real, Accumulation mode, unsigned each>
__global__ void __launch_bounds__(pair_sum_threads)
    pair_sum_kernel(const Interaction pair, const Aligned<typename Interaction::template Target<Real>>* target,
                    std::size_t targets, const Aligned<typename Interaction::template Source<Real>>* source,
                    std::size_t sources, typename Interaction::template Sum<double>* sum) {
  using Target = typename Interaction::template Target<Real>;
  using Source = typename Interaction::template Source<Real>;
  __shared__ alignas(16) std::byte tile_memory[pair_sum_threads * sizeof(Aligned<Source>)];
  auto* const tile = reinterpret_cast<Aligned<Source>*>(tile_memory);
  const std::size_t first = std::size_t{blockIdx.x} * pair_sum_threads * each + threadIdx.x;
  Target x[each];
  PairAccumulator<Interaction, Real, mode> total[each];
#pragma unroll
  for (unsigned t = 0; t < each; ++t) x[t] = target[min(first + t * pair_sum_threads, targets - 1)].record;
  const std::size_t begin = sources * blockIdx.y / gridDim.y, end = sources * (blockIdx.y + 1) / gridDim.y;
  for_each_source_tile(source, begin, end, tile, [&](unsigned count) {
#pragma unroll 4
    for (unsigned k = 0; k < count; ++k) {
      const Source s = tile[k].record;
#pragma unroll
      for (unsigned t = 0; t < each; ++t) total[t].add(pair, x[t], s);
    }
#pragma unroll
    for (unsigned t = 0; t < each; ++t) total[t].end_of_part();
  });
#pragma unroll
  for (unsigned t = 0; t < each; ++t) {
    const std::size_t i = first + t * pair_sum_threads;
    if (i < targets) sum[blockIdx.y * targets + i] = total[t].total();
  }
}

/// finish(i, sum) for every target's sum over all parts.
template <class Sum, class Finish>
__global__ void __launch_bounds__(pair_sum_threads)
    reduce_pair_sums_kernel(const Sum* __restrict__ part, std::size_t targets, unsigned parts, const Finish finish) {
  const std::size_t i = std::size_t{blockIdx.x} * pair_sum_threads + threadIdx.x;
  if (i >= targets) return;
  Sum total = part[i];
  for (unsigned p = 1; p < parts; ++p) add_record<double>(total, part[p * targets + i]);
  finish(i, total);
}

/// Enqueues the sums over all sources of every target; `part` has room for shape.parts sums of each. finish(i, sum) is
/// called on the device. Throws Error if a launch is refused.
template <class Real, Accumulation mode, class Interaction, class Finish>
void sum_pairs(const Interaction& pair, const Aligned<typename Interaction::template Target<Real>>* target,
               std::size_t targets, const Aligned<typename Interaction::template Source<Real>>* source,
               std::size_t sources, const PairSumShape& shape, typename Interaction::template Sum<double>* part,
               const Finish& finish, const Stream& stream) {
  if (targets == 0) return;
  const dim3 grid(blocks_for(targets, pair_sum_threads * shape.each), shape.parts);
  const auto launch = [&](auto kernel) {
    kernel<<<grid, pair_sum_threads, 0, stream.get()>>>(pair, target, targets, source, sources, part);
    check_cuda(cudaGetLastError(), "pair_sum_kernel");
  };
  if (shape.each == 1) launch(pair_sum_kernel<Interaction, Real, mode, 1>);
  if (shape.each == 2) launch(pair_sum_kernel<Interaction, Real, mode, 2>);
  if (shape.each == 4) launch(pair_sum_kernel<Interaction, Real, mode, 4>);
  reduce_pair_sums_kernel<<<blocks_for(targets, pair_sum_threads), pair_sum_threads, 0, stream.get()>>>(
      part, targets, shape.parts, finish);
  check_cuda(cudaGetLastError(), "reduce_pair_sums_kernel");
}

}  // namespace multiwalk
