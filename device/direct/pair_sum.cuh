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

/// True in the last of the blocks of these targets to get here; the others' writes are then visible. `tickets`: a zero
/// for every block of targets, left zero.
inline __device__ bool is_last_part(unsigned* tickets) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(tickets + blockIdx.x, gridDim.y - 1) == gridDim.y - 1;
  __syncthreads();
  __threadfence();
  return last;
}

/// part[0] + part[stride] + ...; several are read at a time, for each takes long to come.
template <class Sum>
__device__ Sum add_parts(const Sum* part, std::size_t stride, unsigned parts) {
  constexpr unsigned at_once = 8;
  Sum sum = part[0];
  for (unsigned first = 1; first < parts; first += at_once) {
    Sum read[at_once];
#pragma unroll
    for (unsigned p = 0; p < at_once; ++p) read[p] = part[min(first + p, parts - 1) * stride];
#pragma unroll
    for (unsigned p = 0; p < at_once; ++p) {
      if (first + p < parts) add_record<double>(sum, read[p]);
    }
  }
  return sum;
}

/// finish(i, sum) for every target; part[p N + i] holds what part p of the sources adds to target i, where there are
/// several.
template <class Interaction, class Real, Accumulation mode, unsigned each, class Finish>
__global__ void __launch_bounds__(pair_sum_threads)
    pair_sum_kernel(const Interaction pair, const Aligned<typename Interaction::template Target<Real>>* target,
                    std::size_t targets, const Aligned<typename Interaction::template Source<Real>>* source,
                    std::size_t sources, typename Interaction::template Sum<double>* part, unsigned* tickets,
                    const Finish finish) {
  using Sum = typename Interaction::template Sum<double>;
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
  const bool several = gridDim.y > 1;
  for (unsigned t = 0; t < each; ++t) {
    const std::size_t i = first + t * pair_sum_threads;
    if (i >= targets) break;
    if (several) {
      part[blockIdx.y * targets + i] = total[t].total();
    } else {
      finish(i, total[t].total());
    }
  }
  if (!several || !is_last_part(tickets)) return;
  for (std::size_t i = first; i < min(first + each * pair_sum_threads, targets); i += pair_sum_threads) {
    finish(i, add_parts(part + i, targets, gridDim.y));
  }
}

/// Working memory of sum_pairs: shape.parts sums for each target, and a zero for each block of targets.
template <class Interaction>
struct PairSumScratch {
  typename Interaction::template Sum<double>* part;
  unsigned* tickets;
};

/// Enqueues the sums over all sources of every target. finish(i, sum) is called on the device. Throws Error if the
/// launch is refused.
template <class Real, Accumulation mode, class Interaction, class Finish>
void sum_pairs(const Interaction& pair, const Aligned<typename Interaction::template Target<Real>>* target,
               std::size_t targets, const Aligned<typename Interaction::template Source<Real>>* source,
               std::size_t sources, const PairSumShape& shape, const PairSumScratch<Interaction>& scratch,
               const Finish& finish, const Stream& stream) {
  if (targets == 0) return;
  const dim3 grid(blocks_for(targets, pair_sum_threads * shape.each), shape.parts);
  const auto launch = [&](auto kernel) {
    kernel<<<grid, pair_sum_threads, 0, stream.get()>>>(pair, target, targets, source, sources, scratch.part,
                                                        scratch.tickets, finish);
    check_cuda(cudaGetLastError(), "pair_sum_kernel");
  };
  if (shape.each == 1) launch(pair_sum_kernel<Interaction, Real, mode, 1, Finish>);
  if (shape.each == 2) launch(pair_sum_kernel<Interaction, Real, mode, 2, Finish>);
  if (shape.each == 4) launch(pair_sum_kernel<Interaction, Real, mode, 4, Finish>);
}

}  // namespace multiwalk
