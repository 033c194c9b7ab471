// SPDX-License-Identifier: GPL-3.0-or-later
// Any pair interaction (host/simd/pair_interaction.hpp) on a device. Each thread holds a few targets in registers;
// sources pass through shared memory in tiles that all threads of a block read (Nyland, Harris & Prins 2007). Blocks
// distribute targets, and parts of the sources if targets alone would leave multiprocessors idle (Hamada & Iitaka
// 2007: j-parallel).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "device/base/blocks_for.cuh"
#include "device/base/stream.cuh"
#include "device/direct/pair_accumulator.cuh"
#include "host/simd/pair_interaction.hpp"

namespace multiwalk {

inline constexpr unsigned pair_sum_threads = 128;

template <class Record>
struct RecordHolder {
  Record record;
};
/// This number of values, all zero.
template <std::size_t count>
struct RecordTail {
  float zero[count] = {};
};
template <>
struct RecordTail<0> {};

/// A record in device memory, so aligned and filled up that it is written and read in whole vectors.
template <class Record>
struct alignas(16) Aligned : RecordHolder<Record>, RecordTail<(16 - sizeof(Record) % 16) % 16 / sizeof(float)> {};

/// Records from an array: a reader, as kernels take them.
template <class Record>
struct RecordArray {
  const Aligned<Record>* __restrict__ record;
  __device__ Aligned<Record> operator()(std::size_t i) const { return record[i]; }
};

/// How a sum over pairs is distributed: `each` targets per thread, sources in `parts` parts, each part by `sets` sets
/// of threads of one block.
struct PairSumShape {
  unsigned each = 1;
  unsigned sets = 1;
  unsigned parts = 1;
};

/// Targets per thread if there are many pairs, and sets of threads if there are few.
inline constexpr unsigned several_targets = 4, several_sets = 2;

/// A shape that fills a device with this number of multiprocessors; adding each part takes time.
inline PairSumShape pair_sum_shape(std::size_t targets, std::size_t sources, unsigned multiprocessors) {
  constexpr unsigned threads_wanted = 1024;  // of each multiprocessor
  const bool many = targets * several_targets >= threads_wanted && targets * sources >> 22 >= multiprocessors;
  PairSumShape shape{many ? several_targets : 1, many ? 1 : several_sets, 1};
  const std::size_t blocks = (targets + pair_sum_threads * shape.each - 1) / (pair_sum_threads * shape.each);
  const std::size_t wanted = std::size_t{multiprocessors} * threads_wanted / (pair_sum_threads * shape.sets);
  const auto most_parts = static_cast<std::size_t>(std::sqrt(static_cast<double>(sources) / 8));
  shape.parts = static_cast<unsigned>(std::clamp<std::size_t>((wanted + blocks - 1) / std::max<std::size_t>(blocks, 1),
                                                              1, std::max<std::size_t>(most_parts, 1)));
  return shape;
}

/// Passes the sources begin...end - 1 of a block's part to act(tile, count), in tiles of as many as it has threads.
template <unsigned threads, class Read, class Source, class Act>
__device__ void for_each_source_tile(const Read& source, std::size_t begin, std::size_t end, Aligned<Source>* tile,
                                     const Act& act) {
  for (std::size_t first = begin; first < end; first += threads) {
    const auto count = static_cast<unsigned>(min(std::size_t{threads}, end - first));
    __syncthreads();
    if (threadIdx.x < count) tile[threadIdx.x] = source(first + threadIdx.x);
    __syncthreads();
    act(count);
  }
}

/// In the first set of threads the sums of all sets, lane by lane. `shared`: room for half the block's.
template <unsigned sets, class Sum>
__device__ void add_sets(Sum& sum, Sum* shared) {
  const unsigned set = threadIdx.x / pair_sum_threads, lane = threadIdx.x % pair_sum_threads;
#pragma unroll
  for (unsigned half = sets / 2; half > 0; half /= 2) {
    __syncthreads();
    if (set >= half && set < 2 * half) shared[(set - half) * pair_sum_threads + lane] = sum;
    __syncthreads();
    if (set < half) add_record<double>(sum, shared[set * pair_sum_threads + lane]);
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
  constexpr unsigned at_once = 256 / sizeof(Sum);
  Sum sum{};
  for (unsigned first = 0; first < parts; first += at_once) {
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

/// A kind's records: `read` gives the i-th of `count`.
template <class Read>
struct Records {
  Read read;
  std::size_t count;
};

/// Working memory of sum_pairs: a sum for each part and target, and a zero for each block of targets.
template <class Interaction>
struct PairSumScratch {
  typename Interaction::template Sum<double>* part;
  unsigned* tickets;
  unsigned parts;  ///< that the sources are in
};

/// finish(i, sum) for every target; part[p N + i] holds what part p of the sources adds to target i, where there are
/// several.
template <class Interaction, class Real, Accumulation mode, unsigned each, unsigned sets, class ReadTarget,
          class ReadSource, class Finish>
__global__ void __launch_bounds__(pair_sum_threads* sets)
    pair_sum_kernel(const Interaction pair, const Records<ReadTarget> target, const Records<ReadSource> source,
                    const PairSumScratch<Interaction> scratch, const Finish finish) {
  using Sum = typename Interaction::template Sum<double>;
  using Target = typename Interaction::template Target<Real>;
  using Source = typename Interaction::template Source<Real>;
  constexpr unsigned threads = pair_sum_threads * sets;
  constexpr std::size_t tile_bytes = threads * sizeof(Aligned<Source>), sum_bytes = threads / 2 * sizeof(Sum);
  __shared__ alignas(16) std::byte shared[sets > 1 && sum_bytes > tile_bytes ? sum_bytes : tile_bytes];
  auto* const tile = reinterpret_cast<Aligned<Source>*>(shared);
  const unsigned set = threadIdx.x / pair_sum_threads, lane = threadIdx.x % pair_sum_threads;
  const std::size_t first = std::size_t{blockIdx.x} * pair_sum_threads * each + lane;
  const std::size_t targets = target.count, sources = source.count;
  Target x[each];
  PairAccumulator<Interaction, Real, mode> total[each];
#pragma unroll
  for (unsigned t = 0; t < each; ++t) x[t] = target.read(min(first + t * pair_sum_threads, targets - 1)).record;
  const std::size_t begin = sources * blockIdx.y / gridDim.y, end = sources * (blockIdx.y + 1) / gridDim.y;
  for_each_source_tile<threads>(source.read, begin, end, tile, [&](unsigned count) {
    const unsigned last = count * (set + 1) / sets;
#pragma unroll 4
    for (unsigned k = count * set / sets; k < last; ++k) {
      const Source s = tile[k].record;
#pragma unroll
      for (unsigned t = 0; t < each; ++t) total[t].add(pair, x[t], s);
    }
#pragma unroll
    for (unsigned t = 0; t < each; ++t) total[t].end_of_part();
  });
  const bool several = gridDim.y > 1;
#pragma unroll
  for (unsigned t = 0; t < each; ++t) {
    const std::size_t i = first + t * pair_sum_threads;
    Sum sum = total[t].total();
    add_sets<sets>(sum, reinterpret_cast<Sum*>(shared));
    if (i >= targets || set > 0) continue;
    if (several) {
      scratch.part[blockIdx.y * targets + i] = sum;
    } else {
      finish(i, sum);
    }
  }
  if (!several || !is_last_part(scratch.tickets)) return;
  const unsigned first_part = gridDim.y * set / sets, last_part = gridDim.y * (set + 1) / sets;
#pragma unroll 1
  for (unsigned t = 0; t < each; ++t) {
    const std::size_t i = first + t * pair_sum_threads;
    Sum sum = add_parts(scratch.part + first_part * targets + min(i, targets - 1), targets, last_part - first_part);
    add_sets<sets>(sum, reinterpret_cast<Sum*>(shared));
    if (i < targets && set == 0) finish(i, sum);
  }
}

/// Enqueues the sums over all sources of every target. finish(i, sum) is called on the device. Throws Error if the
/// launch is refused.
template <class Real, Accumulation mode, unsigned each, unsigned sets, class Interaction, class ReadTarget,
          class ReadSource, class Finish>
void launch_pair_sum(const Interaction& pair, const Records<ReadTarget>& target, const Records<ReadSource>& source,
                     const PairSumScratch<Interaction>& scratch, const Finish& finish, const Stream& stream) {
  if (target.count == 0) return;
  const dim3 grid(blocks_for(target.count, pair_sum_threads * each), scratch.parts);
  pair_sum_kernel<Interaction, Real, mode, each, sets>
      <<<grid, pair_sum_threads * sets, 0, stream.get()>>>(pair, target, source, scratch, finish);
  check_cuda(cudaGetLastError(), "pair_sum_kernel");
}

/// The same for shapes with one set of threads per block.
template <class Real, Accumulation mode, class... Arguments>
void launch_pair_sum_of_one_set(unsigned each, const Arguments&... arguments) {
  if (each == 1) launch_pair_sum<Real, mode, 1, 1>(arguments...);
  if (each == several_targets) launch_pair_sum<Real, mode, several_targets, 1>(arguments...);
}

}  // namespace multiwalk
