// The arrays of a direct summation on their way to a device and back: small ones together in one copy each way.
#pragma once

#include <array>
#include <cstddef>

#include "device/device_buffer.cuh"
#include "device/direct/gravity_sums.cuh"
#include "device/pinned_memory.hpp"
#include "device/upload.cuh"
#include "host/direct/direct_backend.hpp"

namespace multiwalk {

class TaskArrays {
 public:
  /// The device must be current.
  explicit TaskArrays(DeviceMemory& memory) : uploader_(std::array{memory.device()}), input_(memory), output_(memory) {}

  /// Enqueues the copies of a task's arrays. Velocities travel only if jerks are wanted. Throws Error if the device has
  /// not the memory.
  GravityTask bring(const DirectTask& task, const Stream& stream);
  /// Copies the results of the task brought last into its arrays, and waits for them.
  void fetch(const DirectTask& task, const GravityTask& there, const Stream& stream);

 private:
  struct Array {
    const void* data;
    std::size_t bytes;
    std::size_t offset = 0;  ///< on the device
  };
  /// Lays the arrays out one after the other; returns the bytes of all.
  template <std::size_t n>
  static std::size_t lay_out(std::array<Array, n>& arrays);
  template <std::size_t n>
  void send(const std::array<Array, n>& arrays, std::size_t bytes, const Stream& stream);

  Uploader uploader_;
  DeviceBuffer<std::byte> input_, output_;
  PinnedBuffer<std::byte> going_, coming_;
};

}  // namespace multiwalk
