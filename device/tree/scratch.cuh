// SPDX-License-Identifier: GPL-3.0-or-later
// Working memory of the device-wide sorts and scans of CUB.
#pragma once

#include <cstddef>

#include "device/base/device_buffer.cuh"

namespace multiwalk {

class Scratch {
 public:
  explicit Scratch(DeviceMemory& memory) : buffer_(memory) {}

  /// Calls act(memory, bytes) twice, as CUB requires: to learn the number of bytes, and to work with them. False: the
  /// device is full.
  template <class Act>
  [[nodiscard]] bool operator()(const Stream& stream, const Act& act) {
    std::size_t bytes = 0;
    check_cuda(act(nullptr, bytes), "CUB, asked for its working memory");
    if (!buffer_.reserve(bytes + 1, stream)) return false;
    check_cuda(act(buffer_.data(), bytes), "CUB");
    return true;
  }
  void release(const Stream& stream) { buffer_.release(stream); }

 private:
  DeviceBuffer<std::byte> buffer_;
};

}  // namespace multiwalk
