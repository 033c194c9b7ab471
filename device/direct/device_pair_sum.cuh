// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of any pair interaction on the current device, for programs compiled by nvcc: the twin of
// host/direct/pair_sum.hpp.
#pragma once

#include <concepts>
#include <span>
#include <vector>

#include "device/base/device_buffer.cuh"
#include "device/direct/pair_sum.cuh"

namespace multiwalk {

/// Stores a target's sum.
template <class Sum>
struct StorePairSum {
  Sum* sum;
  __device__ void operator()(std::size_t i, const Sum& value) const { sum[i] = value; }
};

template <class Record>
DeviceBuffer<Aligned<Record>> upload_records(std::span<const Record> records, DeviceMemory& memory,
                                             const Stream& stream) {
  std::vector<Aligned<Record>> aligned(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) aligned[i].record = records[i];
  DeviceBuffer<Aligned<Record>> buffer(memory);
  require(buffer.reserve(records.size(), stream), "the GPU has not the memory for the records of a pair sum");
  check_cuda(cudaMemcpyAsync(buffer.data(), aligned.data(), aligned.size() * sizeof(Aligned<Record>),
                             cudaMemcpyHostToDevice, stream.get()),
             "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream.get()), "copying records");
  return buffer;
}

/// sums[i] = sum over all sources of pair(targets[i], source). T is the type of the records' numbers: float, added up
/// as `mode` says (all but `full`), or double, where it is `full`. Throws Error if there are not as many sums as
/// targets or the device cannot.
template <std::floating_point T, Accumulation mode, PairInteraction Pair>
void pair_sum_on_device(const Pair& pair, std::span<const typename Pair::template Target<T>> targets,
                        std::span<const typename Pair::template Source<T>> sources,
                        std::span<typename Pair::template Sum<double>> sums) {
  static_assert(std::same_as<T, double> == (mode == Accumulation::full));
  using Sum = typename Pair::template Sum<double>;
  require(sums.size() == targets.size(), "pair_sum_on_device: as many sums as targets are needed");
  int device = 0, multiprocessors = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
             "cudaDeviceGetAttribute");
  DeviceMemory memory(device, 0);
  const Stream stream;
  const std::size_t n = targets.size();
  const auto target = upload_records(targets, memory, stream);
  const auto source = upload_records(sources, memory, stream);
  PairSumShape shape = pair_sum_shape(n, sources.size(), static_cast<unsigned>(multiprocessors));
  if (mode == Accumulation::plain) shape.sets = shape.parts = 1;
  DeviceBuffer<Sum> part(memory), result(memory);
  DeviceBuffer<unsigned> tickets(memory);
  require(part.reserve(shape.parts * n, stream) && result.reserve(n, stream) && tickets.reserve(n, stream),
          "the GPU has not the memory for a pair sum");
  check_cuda(cudaMemsetAsync(tickets.data(), 0, n * sizeof(unsigned), stream.get()), "cudaMemsetAsync");
  const auto launch = [&](auto enqueue) {
    enqueue(pair, Records{RecordArray<typename Pair::template Target<T>>{target.data()}, n},
            Records{RecordArray<typename Pair::template Source<T>>{source.data()}, sources.size()},
            PairSumScratch<Pair>{part.data(), tickets.data(), shape.parts}, StorePairSum<Sum>{result.data()}, stream);
  };
  launch([&](const auto&... arguments) {
    if (shape.sets == several_sets) {
      launch_pair_sum<T, mode, 1, several_sets>(arguments...);
    } else {
      launch_pair_sum_of_one_set<T, mode>(shape.each, arguments...);
    }
  });
  check_cuda(cudaMemcpyAsync(sums.data(), result.data(), sums.size_bytes(), cudaMemcpyDeviceToHost, stream.get()),
             "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream.get()), "a pair sum");
}

}  // namespace multiwalk
