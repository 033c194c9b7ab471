// SPDX-License-Identifier: GPL-3.0-or-later
// The GPUs of the back end, and copies of host arrays to all of them.
#pragma once

#include <memory>
#include <span>
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
  /// Uploads the n elements of arrays that `make` writes (see Uploader), each to buffer(device) of every device, in the
  /// order of its stream or its side stream.
  template <class... BufferOf>
  void upload_made(std::size_t n, const Uploader::Make& make, Stream WalkDevice::*stream_of, BufferOf&&... buffer) {
    std::vector<const Stream*> stream;
    for (const auto& device : devices_) stream.push_back(&((*device).*stream_of));
    std::vector<Uploader::MadeArray> arrays;
    (arrays.push_back(made_array(buffer)), ...);
    uploader_.copy_made(n, arrays, stream, make);
  }

 private:
  template <class BufferOf>
  Uploader::MadeArray made_array(const BufferOf& buffer) {
    Uploader::MadeArray array{sizeof *buffer(*devices_[0]).data(), {}};
    for (const auto& device : devices_) array.destination.push_back(buffer(*device).data());
    return array;
  }
  static std::vector<int> numbers(std::span<const DeviceDescription> devices) {
    std::vector<int> result;
    for (const DeviceDescription& device : devices) result.push_back(device.number);
    return result;
  }

  Uploader uploader_;
  std::vector<std::unique_ptr<WalkDevice>> devices_;
};

}  // namespace multiwalk
