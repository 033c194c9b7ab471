// SPDX-License-Identifier: GPL-3.0-or-later
// From a gravity task to kernels: the steps that all its laws share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "device/direct/gravity_records.cuh"
#include "device/direct/gravity_sums.cuh"
#include "device/direct/mutual_sum.cuh"

namespace multiwalk {

/// Reserves room for `count` elements T in a buffer of bytes. Throws Error.
template <class T>
T* room_for(DeviceBuffer<std::byte>& buffer, std::size_t count, const Stream& stream) {
  require(buffer.reserve(count * sizeof(T), stream),
          "the GPU has not the " + std::to_string(count * sizeof(T)) + " bytes that a direct summation needs");
  return reinterpret_cast<T*>(buffer.data());
}

template <class Real>
GravityResults<Real> results_of(const GravityTask& task, const BodySums& sums, const double* own_mass) {
  const DirectFrame& frame = task.frame;
  return {own_mass,     task.softening2,   frame.mass, frame.acceleration(), frame.potential(),
          frame.jerk(), sums.acceleration, sums.jerk,  sums.potential};
}

/// Enqueues the making of records.
template <class Real, class Source, class Target>
void fill_records(const MakeSource<Real, Source>& make_source, std::size_t padded, Aligned<Source>* source,
                  const MakeTarget<Target>& make_target, Aligned<Target>* target, const Stream& stream) {
  const std::size_t most = std::max(padded, make_target.bodies.count);
  fill_records_kernel<Real><<<blocks_for(most, pair_sum_threads), pair_sum_threads, 0, stream.get()>>>(
      make_source, padded, source, make_target, target);
  check_cuda(cudaGetLastError(), "fill_records_kernel");
}

/// Zeros for that many blocks of targets.
inline unsigned* tickets_for(DeviceBuffer<unsigned>& tickets, std::size_t count, const Stream& stream) {
  if (count <= tickets.capacity()) return tickets.data();
  require(tickets.reserve(count, stream), "the GPU has not the memory that a direct summation needs");
  check_cuda(cudaMemsetAsync(tickets.data(), 0, tickets.capacity() * sizeof(unsigned), stream.get()),
             "cudaMemsetAsync");
  return tickets.data();
}

/// Every target sums over all sources. With few pairs the wait is shorter if their records are made by the same kernel.
template <class Interaction, class Real, Accumulation mode>
void sum_targets(const GravityTask& task, DirectScratch& scratch, const Stream& stream) {
  using Source = typename Interaction::template Source<Real>;
  using Target = typename Interaction::template Target<Real>;
  using Sum = typename Interaction::template Sum<double>;
  const std::size_t n = task.targets.count, m = task.sources.count;
  PairSumShape shape = pair_sum_shape(n, m, task.multiprocessors);
  if (mode == Accumulation::plain) shape.sets = shape.parts = 1;
  const PairSumScratch<Interaction> working{room_for<Sum>(scratch.part, shape.parts * n, stream),
                                            tickets_for(scratch.tickets, blocks_for(n, pair_sum_threads), stream),
                                            shape.parts};
  const Interaction pair{task.softening2};
  const GravityResults<Real> results = results_of<Real>(task, task.sums, task.own_mass);
  const MakeTarget<Target> make_target{task.targets, task.frame};
  const MakeSource<Real, Source> make_source{task.sources, task.frame};
  if (shape.sets == several_sets) {
    launch_pair_sum<Real, mode, 1, several_sets>(pair, Records{make_target, n}, Records{make_source, m}, working,
                                                 results, stream);
    return;
  }
  auto* const source = room_for<Aligned<Source>>(scratch.source, m, stream);
  auto* const target = room_for<Aligned<Target>>(scratch.target, n, stream);
  fill_records(make_source, m, source, make_target, target, stream);
  launch_pair_sum_of_one_set<Real, mode>(shape.each, pair, Records{RecordArray<Target>{target}, n},
                                         Records{RecordArray<Source>{source}, m}, working, results, stream);
}

/// Each pair is evaluated for one of its bodies at a time.
template <class Interaction, class Real, Accumulation mode>
void sum_one_way(const GravityTask& task, DirectScratch& scratch, const Stream& stream) {
  sum_targets<Interaction, Real, mode>(task, scratch, stream);
  if (task.pairs == Pairs::between) sum_targets<Interaction, Real, mode>(task.swapped(), scratch, stream);
}

/// Enqueues the storing of all bodies' totals.
template <class Sum>
void store_mutual_sums(const GravityTask& task, const MutualShape& shape, const Sum* total, const Stream& stream) {
  const auto store = [&](const Sum* first, std::size_t count, const BodySums& sums) {
    store_mutual_sums_kernel<<<blocks_for(count, mutual_threads), mutual_threads, 0, stream.get()>>>(
        first, count, results_of<float>(task, sums, nullptr));
    check_cuda(cudaGetLastError(), "store_mutual_sums_kernel");
  };
  store(total, task.targets.count, task.sums);
  const std::size_t first_column = std::size_t{shape.first_column} * mutual_tile;
  if (task.pairs == Pairs::between) store(total + first_column, task.sources.count, task.reaction);
}

/// Records of the rows' bodies, then of the columns' where these are others.
template <class Body>
const Aligned<Body>* fill_mutual_records(const GravityTask& task, const MutualShape& shape, DirectScratch& scratch,
                                         const Stream& stream) {
  const std::size_t in_rows = std::size_t{shape.rows} * shape.tiles_of_row * mutual_tile;
  auto* const body = room_for<Aligned<Body>>(scratch.source, std::size_t{shape.tiles} * mutual_tile, stream);
  const auto fill = [&](const BodyArrays& bodies, std::size_t padded, Aligned<Body>* into) {
    fill_records(MakeSource<float, Body>{bodies, task.frame}, padded, into, MakeTarget<Body>{},
                 static_cast<Aligned<Body>*>(nullptr), stream);
  };
  fill(task.targets, in_rows, body);
  if (task.pairs == Pairs::between) fill(task.sources, shape.columns(), body + in_rows);
  return body;
}

/// Enqueues the sums of the rows of `arrays` and adds them to the bodies' totals.
template <class Interaction, unsigned each, unsigned blocks, class Arrays, class Sum>
void add_mutual_sums(const GravityTask& task, Arrays arrays, std::size_t bodies, Sum* total, DirectScratch& scratch,
                     const Stream& stream) {
  arrays.tiles_of_block = tiles_of_block(arrays.tiles(), blocks, task.multiprocessors);
  arrays.row_sum = room_for<Sum>(scratch.part, arrays.strips() * mutual_threads * each, stream);
  arrays.column_sum = room_for<Sum>(scratch.column, arrays.rows * arrays.shape.columns(), stream);
  mutual_sum_kernel<Interaction, each, blocks>
      <<<static_cast<unsigned>(arrays.blocks()), mutual_threads, sizeof(MutualShared<Interaction, each>),
         stream.get()>>>(Interaction{task.softening2}, arrays);
  check_cuda(cudaGetLastError(), "mutual_sum_kernel");
  add_mutual_sums_kernel<<<blocks_for(bodies, mutual_threads), mutual_threads, 0, stream.get()>>>(arrays, bodies,
                                                                                                  total);
  check_cuda(cudaGetLastError(), "add_mutual_sums_kernel");
}

/// Each pair is evaluated once for both. False: the device lacks the shared memory.
template <class Interaction, unsigned each, unsigned blocks>
[[nodiscard]] bool sum_mutually(const GravityTask& task, DirectScratch& scratch, const Stream& stream) {
  using Body = typename Interaction::template Source<float>;
  using Sum = typename Interaction::template Sum<double>;
  constexpr std::size_t most_column_bytes = std::size_t{1} << 30;
  constexpr auto shared_bytes = static_cast<int>(sizeof(MutualShared<Interaction, each>));
  if (cudaFuncSetAttribute(mutual_sum_kernel<Interaction, each, blocks>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           shared_bytes) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  constexpr std::uint32_t tiles_of_row = mutual_threads * each / mutual_tile;
  const MutualShape shape = task.pairs == Pairs::between
                                ? rectangle_of(task.targets.count, task.sources.count, tiles_of_row)
                                : triangle_of(task.targets.count, tiles_of_row);
  const std::size_t bodies =
      shape.first_column > 0 ? shape.first_column * mutual_tile + task.sources.count : task.targets.count;
  const auto rows_at_once = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(most_column_bytes / (shape.columns() * sizeof(Sum)), 1, shape.rows));
  const auto* const body = fill_mutual_records<Body>(task, shape, scratch, stream);
  auto* const total = room_for<Sum>(scratch.total, bodies, stream);
  check_cuda(cudaMemsetAsync(total, 0, bodies * sizeof(Sum), stream.get()), "cudaMemsetAsync");
  for (std::uint32_t first = 0; first < shape.rows; first += rows_at_once) {
    const MutualArrays<Body, Sum> arrays{{shape, first, std::min(rows_at_once, shape.rows - first)}, body};
    add_mutual_sums<Interaction, each, blocks>(task, arrays, bodies, total, scratch, stream);
  }
  store_mutual_sums(task, shape, total, stream);
  return true;
}

/// Fewer pairs do not fill a device when each is evaluated once for both; pairs without jerks fill it later.
inline bool fills_device(const GravityTask& task) {
  const std::size_t n = task.targets.count, m = task.sources.count;
  const std::size_t least = task.jerk() ? task.mutual_from : task.mutual_from + task.mutual_from / 4;
  if (task.pairs == Pairs::within) return n >= least;
  return task.pairs == Pairs::between && std::min(n, m) >= least / 16 && 2 * n * m >= least * least;
}

/// act<softened>() with the task's.
template <class Act>
void with_softening(const GravityTask& task, const Act& act) {
  if (task.softening2 > 0) {
    act.template operator()<true>();
  } else {
    act.template operator()<false>();
  }
}

/// Single-precision pairs by Interaction, summed as the task asks; `each`: bodies per thread if each pair is
/// evaluated once for both, with `blocks` blocks per multiprocessor at a time.
template <class Interaction, unsigned each, unsigned blocks>
void sum_in_single(const GravityTask& task, DirectScratch& scratch, const Stream& stream) {
  switch (task.precision.accumulation) {
    case Accumulation::plain:
      return sum_one_way<Interaction, float, Accumulation::plain>(task, scratch, stream);
    case Accumulation::chamomile:
      return sum_one_way<Interaction, float, Accumulation::chamomile>(task, scratch, stream);
    case Accumulation::compensated:
      return sum_one_way<Interaction, float, Accumulation::compensated>(task, scratch, stream);
    default:
      break;
  }
  if (fills_device(task) && sum_mutually<Interaction, each, blocks>(task, scratch, stream)) return;
  sum_one_way<Interaction, float, Accumulation::mixed>(task, scratch, stream);
}

}  // namespace multiwalk
