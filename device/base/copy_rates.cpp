// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/base/copy_rates.hpp"

#include <algorithm>

#include "device/base/device_buffer.cuh"
#include "device/base/pinned_memory.hpp"
#include "host/base/error.hpp"
#include "host/base/phase_timer.hpp"

namespace multiwalk {

namespace {

/// The mean of several copies after a first one.
double seconds_of_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, const Stream& stream) {
  constexpr std::size_t all_bytes = std::size_t{1} << 28, least = 3, most = 300;
  const std::size_t repeats = std::clamp(all_bytes / bytes, least, most);
  double began = 0;
  for (std::size_t copy = 0; copy <= repeats; ++copy) {
    if (copy == 1) began = wall_time();
    check_cuda(cudaMemcpyAsync(to, from, bytes, kind, stream.get()), "cudaMemcpyAsync");
    check_cuda(cudaStreamSynchronize(stream.get()), "a copy");
  }
  return (wall_time() - began) / static_cast<double>(repeats);
}

}  // namespace

std::vector<CopySeconds> measure_copies(int device, std::span<const std::size_t> sizes) {
  std::vector<CopySeconds> all;
  if (sizes.empty()) return all;
  DeviceMemory memory(device, 0);
  memory.make_current();
  const Stream stream;
  const std::size_t largest = std::ranges::max(sizes);
  DeviceBuffer<std::byte> there(memory);
  require(there.reserve(largest, stream), "the GPU has not the memory for the largest message");
  std::vector<std::byte> pageable(largest);
  PinnedBuffer<std::byte> locked;
  std::fill_n(locked.reserve(largest), largest, std::byte{0});
  for (const std::size_t bytes : sizes) {
    const auto in = [&](const void* from) {
      return seconds_of_copy(there.data(), from, bytes, cudaMemcpyHostToDevice, stream);
    };
    const auto out = [&](void* to) { return seconds_of_copy(to, there.data(), bytes, cudaMemcpyDeviceToHost, stream); };
    all.push_back({bytes, in(locked.data()), in(pageable.data()), out(locked.data()), out(pageable.data())});
  }
  return all;
}

}  // namespace multiwalk
