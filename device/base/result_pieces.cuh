// SPDX-License-Identifier: GPL-3.0-or-later
// Accelerations and potentials on their way to the host: some pieces travel while the host works on another.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "device/base/cuda_check.cuh"
#include "device/base/pinned_memory.hpp"
#include "device/base/stream.cuh"
#include "host/base/vec3.hpp"

namespace multiwalk {

class ResultPieces {
 public:
  /// Calls use(first, accelerations, potentials) for one piece of n results after another. All have been copied when it
  /// returns. On the current device.
  template <class Use>
  void bring(const Vec3f* acceleration, const float* potential, std::size_t n, const Stream& stream, const Use& use) {
    const std::size_t size = std::clamp(n / 8, least, most), pieces = (n + size - 1) / size;
    const auto count = [&](std::size_t p) { return std::min(size, n - p * size); };
    const auto fetch = [&](std::size_t p) {
      Piece& piece = piece_[p % piece_.size()];
      copy(piece.acceleration.reserve(size), acceleration + p * size, count(p), stream);
      copy(piece.potential.reserve(size), potential + p * size, count(p), stream);
      piece.there.record(stream);
    };
    for (std::size_t p = 0; p < std::min(pieces, piece_.size()); ++p) fetch(p);
    for (std::size_t p = 0; p < pieces; ++p) {
      const Piece& piece = piece_[p % piece_.size()];
      piece.there.synchronize();
      use(p * size, std::span<const Vec3f>(piece.acceleration.data(), count(p)),
          std::span<const float>(piece.potential.data(), count(p)));
      if (p + piece_.size() < pieces) fetch(p + piece_.size());
    }
  }

 private:
  static constexpr std::size_t least = std::size_t{1} << 16, most = std::size_t{1} << 18;  // results

  struct Piece {
    PinnedBuffer<Vec3f> acceleration;
    PinnedBuffer<float> potential;
    Event there;
  };

  template <class T>
  static void copy(T* to, const T* from, std::size_t n, const Stream& stream) {
    check_cuda(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToHost, stream.get()), "cudaMemcpyAsync");
  }

  std::array<Piece, 3> piece_;
};

}  // namespace multiwalk
