// From a gravity task to kernels: the steps that all its laws share.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "device/direct/gravity_records.cuh"
#include "device/direct/gravity_sums.cuh"
#include "device/direct/mutual_sum.cuh"

namespace multiwalk {

/// Room for `count` of T in a buffer of bytes. Throws Error.
template <class T>
T* room_for(DeviceBuffer<std::byte>& buffer, std::size_t count, const Stream& stream) {
  require(buffer.reserve(count * sizeof(T), stream),
          "the GPU has not the " + std::to_string(count * sizeof(T)) + " bytes that a direct summation needs");
  return reinterpret_cast<T*>(buffer.data());
}

template <class Real>
GravityResults<Real> results_of(const GravityTask& task, const double* own_mass) {
  const DirectFrame& frame = task.frame;
  return {own_mass,     task.softening2,   frame.mass, frame.acceleration(), frame.potential(),
          frame.jerk(), task.acceleration, task.jerk,  task.potential};
}

/// Enqueues the making of records.
template <class Real, class Source, class Target>
void fill_records(const GravityTask& task, std::size_t padded, Aligned<Source>* source, const BodyArrays& targets,
                  Aligned<Target>* target, const Stream& stream) {
  const std::size_t most = std::max(padded, targets.count);
  fill_records_kernel<Real><<<blocks_for(most, pair_sum_threads), pair_sum_threads, 0, stream.get()>>>(
      MakeSource<Real, Source>{task.sources, task.frame}, padded, source, MakeTarget<Target>{targets, task.frame},
      target);
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

/// Every target sums over all sources. Few pairs are waited for less when their records are made on the way.
template <class Interaction, class Real, Accumulation mode>
void sum_one_way(const GravityTask& task, DirectScratch& scratch, const Stream& stream) {
  using Source = typename Interaction::template Source<Real>;
  using Target = typename Interaction::template Target<Real>;
  using Sum = typename Interaction::template Sum<double>;
  const std::size_t n = task.targets.count, m = task.sources.count;
  PairSumShape shape = pair_sum_shape(n, m, task.multiprocessors);
  if (mode == Accumulation::plain) shape.sets = shape.parts = 1;
  const PairSumScratch<Interaction> working{room_for<Sum>(scratch.part, shape.parts * n, stream),
                                            tickets_for(scratch.tickets, blocks_for(n, pair_sum_threads), stream)};
  const Interaction pair{task.softening2};
  const GravityResults<Real> results = results_of<Real>(task, task.own_mass);
  if (shape.sets == several_sets) {
    launch_pair_sum<Real, mode, 1, several_sets>(pair, MakeTarget<Target>{task.targets, task.frame}, n,
                                                 MakeSource<Real, Source>{task.sources, task.frame}, m, shape.parts,
                                                 working, results, stream);
    return;
  }
  auto* const source = room_for<Aligned<Source>>(scratch.source, m, stream);
  auto* const target = room_for<Aligned<Target>>(scratch.target, n, stream);
  fill_records<Real>(task, m, source, task.targets, target, stream);
  launch_pair_sum_of_one_set<Real, mode>(shape.each, pair, RecordArray<Target>{target}, n, RecordArray<Source>{source},
                                         m, shape.parts, working, results, stream);
}

/// The units of rows first...end - 1 of a triangle of `rows`, enough of them to fill a device, and where each row's
/// begin.
struct MutualPlan {
  std::vector<MutualUnit> units;
  std::vector<std::uint32_t> row_unit;

  MutualPlan(std::uint32_t first, std::uint32_t end, std::uint32_t rows, std::uint32_t tiles_of_row,
             unsigned multiprocessors) {
    constexpr std::size_t waves = 24, most_tiles = 32;
    std::size_t tiles = 0;
    for (std::uint32_t row = first; row < end; ++row) tiles += std::size_t{rows - row} * tiles_of_row;
    const auto each =
        static_cast<std::uint32_t>(std::clamp<std::size_t>(tiles / (waves * 2 * multiprocessors), 1, most_tiles));
    for (std::uint32_t row = first; row < end; ++row) {
      row_unit.push_back(static_cast<std::uint32_t>(units.size()));
      const std::uint32_t all = (rows - row) * tiles_of_row;
      for (std::uint32_t tile = 0; tile < all; tile += each) units.push_back({row, tile, std::min(each, all - tile)});
    }
    row_unit.push_back(static_cast<std::uint32_t>(units.size()));
  }
};

template <class T>
const T* upload_plan(DeviceBuffer<T>& buffer, const std::vector<T>& values, const Stream& stream) {
  require(buffer.reserve(values.size(), stream), "the GPU has not the memory that a direct summation needs");
  check_cuda(
      cudaMemcpyAsync(buffer.data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice, stream.get()),
      "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream.get()), "copying a plan");
  return buffer.data();
}

/// Each pair is evaluated once for both. False: the device has not the shared memory.
template <class Interaction, unsigned each, unsigned blocks>
[[nodiscard]] bool sum_mutually(const GravityTask& task, DirectScratch& scratch, const Stream& stream) {
  using Body = typename Interaction::template Source<float>;
  using Sum = typename Interaction::template Sum<double>;
  constexpr std::size_t row_bodies = mutual_threads * each, most_column_bytes = std::size_t{1} << 30;
  constexpr auto shared_bytes = static_cast<int>(sizeof(MutualShared<Interaction, each>));
  if (cudaFuncSetAttribute(mutual_sum_kernel<Interaction, each, blocks>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           shared_bytes) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  const std::size_t n = task.sources.count, padded = (n + row_bodies - 1) / row_bodies * row_bodies;
  const auto rows = static_cast<std::uint32_t>(padded / row_bodies);
  const auto strip =
      static_cast<std::uint32_t>(std::clamp<std::size_t>(most_column_bytes / (padded * sizeof(Sum)), 1, rows));
  auto* const body = room_for<Aligned<Body>>(scratch.source, padded, stream);
  fill_records<float, Body, Body>(task, padded, body, {}, nullptr, stream);
  auto* const total = room_for<Sum>(scratch.total, n, stream);
  check_cuda(cudaMemsetAsync(total, 0, n * sizeof(Sum), stream.get()), "cudaMemsetAsync");
  for (std::uint32_t first = 0; first < rows; first += strip) {
    const std::uint32_t end = std::min(first + strip, rows);
    const MutualPlan plan(first, end, rows, row_bodies / mutual_tile, task.multiprocessors);
    const MutualArrays<Body, Sum> arrays{body,
                                         upload_plan(scratch.unit, plan.units, stream),
                                         first,
                                         padded,
                                         room_for<Sum>(scratch.part, plan.units.size() * row_bodies, stream),
                                         room_for<Sum>(scratch.column, std::size_t{end - first} * padded, stream)};
    const std::uint32_t* const row_unit = upload_plan(scratch.row_unit, plan.row_unit, stream);
    mutual_sum_kernel<Interaction, each, blocks>
        <<<static_cast<unsigned>(plan.units.size()), mutual_threads, shared_bytes, stream.get()>>>(
            Interaction{task.softening2}, arrays);
    check_cuda(cudaGetLastError(), "mutual_sum_kernel");
    add_mutual_sums_kernel<<<blocks_for(n, mutual_threads), mutual_threads, 0, stream.get()>>>(
        arrays, row_unit, end - first, static_cast<unsigned>(row_bodies), n, total);
    check_cuda(cudaGetLastError(), "add_mutual_sums_kernel");
  }
  store_mutual_sums_kernel<<<blocks_for(n, mutual_threads), mutual_threads, 0, stream.get()>>>(
      total, n, results_of<float>(task, nullptr));
  check_cuda(cudaGetLastError(), "store_mutual_sums_kernel");
  return true;
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

/// Single-precision pairs by Interaction, summed as the task asks; `each`: bodies a thread holds where each pair is
/// evaluated once for both, in so many `blocks` of a multiprocessor at a time.
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
  const bool mutual = task.mutual && task.sources.count >= least_mutual_bodies;
  if (mutual && sum_mutually<Interaction, each, blocks>(task, scratch, stream)) return;
  sum_one_way<Interaction, float, Accumulation::mixed>(task, scratch, stream);
}

}  // namespace multiwalk
