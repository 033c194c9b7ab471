// SPDX-License-Identifier: GPL-3.0-or-later
// Fast copies of host arrays to devices: straight from page-locked memory, otherwise through page-locked staging
// buffers that all threads fill.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "device/base/pinned_memory.hpp"
#include "device/base/stream.cuh"
#include "host/base/piece_line.hpp"

namespace multiwalk {

/// By all threads if it is long.
void parallel_copy(std::byte* to, const std::byte* from, std::size_t bytes);

class Uploader {
 public:
  /// An array that is written piece by piece to staging buffers.
  struct MadeArray {
    std::size_t count = 0, element = 0;  ///< elements, and bytes of each
    std::vector<void*> destination;      ///< on each device
    std::vector<const Stream*> stream;   ///< of each device
    /// Writes elements first to first + count - 1; by several threads at once, for different pieces, which begin at
    /// multiples of ParticleFeed::part. May not throw.
    std::function<void(std::size_t first, std::size_t count, std::byte* to)> make;
  };

  explicit Uploader(std::span<const int> devices);
  /// Enqueues the copy of `bytes` from `source` to an address on each device, in the order of that device's stream.
  /// A page-locked `source` is read in place: it may neither change nor be freed before every stream has got past
  /// the copy. Any other may when this returns.
  void copy(const void* source, std::size_t bytes, std::span<void* const> destination,
            std::span<const Stream* const> stream);
  /// The pieces of an array, for the threads of a team to make while its leader enqueues their copies. The next copy
  /// may begin when the line has ended.
  [[nodiscard]] PieceLine made_line(MadeArray array);

 private:
  /// Copies to the same offset on each device.
  void send(const std::byte* source, std::size_t bytes, std::size_t offset, std::span<void* const> destination,
            std::span<const Stream* const> stream) const;

  struct Stage {
    std::byte* data = nullptr;
    std::vector<Event> sent;  ///< per device
  };
  /// Half of the stages serve one array, while those of the array before may still be read.
  static constexpr std::size_t stages_of_line = 24;
  std::vector<int> devices_;
  PinnedBuffer<std::byte> data_;
  std::array<Stage, 2 * stages_of_line> stage_;
  std::size_t lines_ = 0;  ///< begun
};

}  // namespace multiwalk
