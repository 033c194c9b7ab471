// SPDX-License-Identifier: GPL-3.0-or-later
// The arrays of a direct summation, copied to a device and back: small ones together in one copy.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "device/base/device_buffer.cuh"
#include "device/base/pinned_memory.hpp"
#include "device/base/upload.cuh"
#include "device/direct/gravity_sums.cuh"
#include "host/direct/direct_backend.hpp"

namespace multiwalk {

class TaskArrays {
 public:
  /// The device must be current.
  explicit TaskArrays(DeviceMemory& memory) : uploader_(std::array{memory.device()}), input_(memory), output_(memory) {}

  /// Enqueues the copies of a task's arrays. Velocities are copied only if jerks are wanted. Throws Error if the device
  /// lacks the memory.
  GravityTask bring(const DirectTask& task, const Stream& stream);
  GravityTask bring(const DirectCouple& couple, const Stream& stream);
  /// Copies the results of the last task into its arrays, and waits for them.
  void fetch(const Stream& stream);

 private:
  /// An array of the host, and its place on the device. Byte: std::byte or const std::byte.
  template <class Byte>
  struct Array {
    Byte* data;
    std::size_t bytes;
    std::size_t offset = 0;

    /// On the device, whose arrays begin at `base`; null if it is empty.
    template <class T>
    [[nodiscard]] T* at(Byte* base) const {
      return bytes == 0 ? nullptr : reinterpret_cast<T*>(base + offset);
    }
  };
  using Input = Array<const std::byte>;
  using Result = Array<std::byte>;

  template <class T>
  static Input array(std::span<const T> values, bool wanted = true) {
    return {reinterpret_cast<const std::byte*>(values.data()), wanted ? values.size_bytes() : 0};
  }
  template <class T>
  requires(!std::is_const_v<T>) static Result array(std::span<T> values) {
    return {reinterpret_cast<std::byte*>(values.data()), values.size_bytes()};
  }

  /// Lays the arrays out one after the other, each aligned to so many bytes; returns the bytes of all.
  template <class Byte>
  static std::size_t lay_out(std::span<Array<Byte>> arrays, std::size_t alignment);
  /// Enqueues the copies to the device.
  void send(std::span<Input> arrays, const Stream& stream);
  void place_results(std::vector<Result> results, const Stream& stream);
  /// Positions, velocities and masses on the device.
  [[nodiscard]] BodyArrays bodies_at(std::span<const Input, 3> arrays, std::size_t count) const;
  /// Three results, from `first` on.
  [[nodiscard]] BodySums sums_at(std::size_t first) const;

  /// Copies bytes of the results, those from `first` on, to where they belong.
  void place(const std::byte* from, std::size_t first, std::size_t bytes) const;

  /// A piece of the results that is being copied.
  struct Piece {
    PinnedBuffer<std::byte> data;
    Event arrival;
  };

  Uploader uploader_;
  DeviceBuffer<std::byte> input_, output_;
  PinnedBuffer<std::byte> going_;
  std::array<Piece, 2> pieces_;
  std::vector<Result> results_;
  std::size_t result_bytes_ = 0;
};

}  // namespace multiwalk
