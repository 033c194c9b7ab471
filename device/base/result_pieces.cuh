// SPDX-License-Identifier: GPL-3.0-or-later
// Accelerations and potentials on their way to the host: some pieces travel while the threads work on others.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "device/base/cuda_check.cuh"
#include "device/base/pinned_memory.hpp"
#include "device/base/stream.cuh"
#include "host/base/piece_line.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

class ResultPieces {
 public:
  /// Calls use(first, accelerations, potentials) for each piece of n results, on several threads at once; it may not
  /// throw. All have been used when it returns. On the current device.
  template <class Use>
  void bring(const Vec3f* acceleration, const float* potential, std::size_t n, const Stream& stream, const Use& use) {
    const std::size_t size = std::clamp(n / least_pieces, least, most), pieces = (n + size - 1) / size;
    const auto count = [&](std::size_t p) { return std::min(size, n - p * size); };
    acceleration_.reserve(slots * size);
    potential_.reserve(slots * size);
    const auto own_acceleration = [&](std::size_t p) { return acceleration_.data() + p % slots * size; };
    const auto own_potential = [&](std::size_t p) { return potential_.data() + p % slots * size; };
    PieceLine::Steps steps;
    steps.start = [&](std::size_t p) {
      copy(own_acceleration(p), acceleration + p * size, count(p), stream);
      copy(own_potential(p), potential + p * size, count(p), stream);
      there_[p % slots].record(stream);
    };
    steps.moved = [&](std::size_t p) { return there_[p % slots].happened(); };
    steps.work = [&](std::size_t p) {
      use(p * size, std::span<const Vec3f>(own_acceleration(p), count(p)),
          std::span<const float>(own_potential(p), count(p)));
    };
    PieceLine(pieces, slots, PieceLine::Order::moved_then_worked, std::move(steps)).run();
  }

 private:
  static constexpr std::size_t least = std::size_t{1} << 12, most = std::size_t{1} << 15;  // results
  static constexpr std::size_t least_pieces = 48, slots = 24;

  template <class T>
  static void copy(T* to, const T* from, std::size_t n, const Stream& stream) {
    check_cuda(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToHost, stream.get()), "cudaMemcpyAsync");
  }

  PinnedBuffer<Vec3f> acceleration_;  ///< (slots x results of a piece)
  PinnedBuffer<float> potential_;
  std::array<Event, slots> there_;
};

}  // namespace multiwalk
