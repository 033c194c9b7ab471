// SPDX-License-Identifier: GPL-3.0-or-later
// Device memory that other processes of the same host read without copies through the host (CUDA IPC).
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "device/base/device_buffer.cuh"

namespace multiwalk {

/// Grows, never shrinks; contents are lost when it grows. Former memory is freed only at the end, because other
/// processes may still have it open; they should have closed it by then.
class PeerBuffer {
 public:
  explicit PeerBuffer(DeviceMemory& memory) : memory_(&memory) {}
  ~PeerBuffer();
  PeerBuffer(const PeerBuffer&) = delete;
  PeerBuffer& operator=(const PeerBuffer&) = delete;

  /// False: the device is full, and nothing has changed.
  [[nodiscard]] bool reserve(std::size_t bytes);
  [[nodiscard]] std::byte* data() const { return blocks_.empty() ? nullptr : blocks_.back().data; }
  /// The handle with which other processes open it; zeros if the system cannot share memory.
  [[nodiscard]] const cudaIpcMemHandle_t& handle() const { return handle_; }

 private:
  struct Block {
    std::byte* data;
    std::size_t bytes;
  };
  DeviceMemory* memory_;
  std::vector<Block> blocks_;
  cudaIpcMemHandle_t handle_{};
};

/// Another process's PeerBuffer in the address space of the current device.
class OpenedPeer {
 public:
  OpenedPeer() = default;
  ~OpenedPeer() { close(); }
  OpenedPeer(OpenedPeer&& other) noexcept : handle_(other.handle_), data_(std::exchange(other.data_, nullptr)) {}
  OpenedPeer& operator=(OpenedPeer&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(data_, other.data_);
    return *this;
  }

  /// Null if it cannot be opened; opens it only once.
  [[nodiscard]] const std::byte* open(const cudaIpcMemHandle_t& handle);

 private:
  void close() noexcept;

  cudaIpcMemHandle_t handle_{};
  void* data_ = nullptr;
};

}  // namespace multiwalk
