// Fast copies from pageable host arrays to devices, through page-locked staging buffers that all threads fill.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>
#include <span>
#include <vector>

#include "device/stream.cuh"

namespace multiwalk {

class Uploader {
 public:
  explicit Uploader(std::span<const int> devices);
  /// Enqueues the copy of `bytes` from `source` to an address on each device, in the order of that device's stream;
  /// `source` may change when it returns.
  void copy(const void* source, std::size_t bytes, std::span<void* const> destination,
            std::span<const Stream* const> stream);

 private:
  struct Stage {
    std::pmr::vector<std::byte> data;
    std::vector<Event> sent;  ///< per device
    Stage();
  };
  std::vector<int> devices_;
  std::array<Stage, 2> stage_;
  std::size_t next_ = 0;
};

}  // namespace multiwalk
