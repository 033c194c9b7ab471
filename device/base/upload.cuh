// SPDX-License-Identifier: GPL-3.0-or-later
// Fast copies of host arrays to devices: straight from page-locked memory, otherwise through page-locked staging
// buffers that all threads fill.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory_resource>
#include <span>
#include <vector>

#include "device/base/stream.cuh"

namespace multiwalk {

/// By all threads if it is long.
void parallel_copy(std::byte* to, const std::byte* from, std::size_t bytes);

class Uploader {
 public:
  /// One of several arrays that are made and sent together.
  struct MadeArray {
    std::size_t element;             ///< bytes
    std::vector<void*> destination;  ///< on each device
  };
  /// Writes elements first to first + count - 1 of every array to its place in page-locked memory.
  using Make = std::function<void(std::size_t first, std::size_t count, std::span<std::byte* const> place)>;

  explicit Uploader(std::span<const int> devices);
  /// Enqueues the copy of `bytes` from `source` to an address on each device, in the order of that device's stream.
  /// A page-locked `source` is read in place: it may neither change nor be freed before every stream has got past
  /// the copy. Any other may when this returns.
  void copy(const void* source, std::size_t bytes, std::span<void* const> destination,
            std::span<const Stream* const> stream);
  /// Enqueues copies of arrays of n elements, as copy does. `make` is called for one piece after another, which begin
  /// at multiples of 2048: one is made while others travel.
  void copy_made(std::size_t n, std::span<const MadeArray> arrays, std::span<const Stream* const> stream,
                 const Make& make);

 private:
  void copy_staged(const std::byte* source, std::size_t bytes, std::span<void* const> destination,
                   std::span<const Stream* const> stream);
  /// Copies to the same offset on each device.
  void send(const std::byte* source, std::size_t bytes, std::size_t offset, std::span<void* const> destination,
            std::span<const Stream* const> stream) const;

  struct Stage {
    std::pmr::vector<std::byte> data;
    std::vector<Event> sent;  ///< per device
    Stage();
  };
  /// Waits until it has been sent.
  Stage& next_stage();
  std::vector<int> devices_;
  std::array<Stage, 3> stage_;
  std::size_t next_ = 0;
};

}  // namespace multiwalk
