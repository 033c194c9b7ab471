// SPDX-License-Identifier: GPL-3.0-or-later
// The GPUs of the back end, and copies of host arrays to all of them.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "device/backends/walk_device.cuh"
#include "device/base/devices.hpp"
#include "device/base/upload.cuh"

namespace multiwalk {

class DeviceSet {
 public:
  DeviceSet(std::span<const DeviceDescription> devices, std::size_t memory_limit) : uploader_(numbers(devices)) {
    for (const DeviceDescription& d : devices) devices_.push_back(std::make_unique<WalkDevice>(d.number, memory_limit));
  }

  [[nodiscard]] auto begin() const { return devices_.begin(); }
  [[nodiscard]] auto end() const { return devices_.end(); }
  [[nodiscard]] std::size_t size() const { return devices_.size(); }
  [[nodiscard]] WalkDevice& operator[](std::size_t d) const { return *devices_[d]; }
  [[nodiscard]] WalkDevice& first() const { return *devices_[0]; }

  /// Uploads an array to buffer(device) of every device, in the order of its stream or its side stream.
  template <class T, class BufferOf>
  void upload(std::span<const T> source, BufferOf&& buffer, Stream WalkDevice::*stream_of = &WalkDevice::stream) {
    std::vector<void*> destination;
    std::vector<const Stream*> stream;
    for (const auto& device : devices_) {
      destination.push_back(buffer(*device).data());
      stream.push_back(&((*device).*stream_of));
    }
    uploader_.copy(source.data(), source.size_bytes(), destination, stream);
  }
  /// The pieces of n elements that `make` writes (see Uploader), each for buffer(device) of every device, in the order
  /// of its stream or its side stream.
  template <class T, class BufferOf, class Make>
  [[nodiscard]] PieceLine made_line(std::size_t n, Stream WalkDevice::*stream_of, BufferOf&& buffer, Make make) {
    Uploader::MadeArray array{n, sizeof(T), {}, {}, [make](std::size_t first, std::size_t count, std::byte* to) {
                                make(first, std::span(reinterpret_cast<T*>(to), count));
                              }};
    for (const auto& device : devices_) {
      T* const destination = buffer(*device).data();
      array.destination.push_back(destination);
      array.stream.push_back(&((*device).*stream_of));
    }
    return uploader_.made_line(std::move(array));
  }

 private:
  static std::vector<int> numbers(std::span<const DeviceDescription> devices) {
    std::vector<int> result;
    for (const DeviceDescription& device : devices) result.push_back(device.number);
    return result;
  }

  Uploader uploader_;
  std::vector<std::unique_ptr<WalkDevice>> devices_;
};

}  // namespace multiwalk
