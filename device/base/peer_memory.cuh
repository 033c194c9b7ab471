// SPDX-License-Identifier: GPL-3.0-or-later
// Device memory that other ranks of the same host read without copies through the host (CUDA IPC).
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "device/base/device_buffer.cuh"

namespace multiwalk {

/// Where other ranks find a PeerBuffer. Trivially copyable, to be sent between them.
struct PeerAddress {
  cudaIpcMemHandle_t handle{};      ///< zeros if the system cannot share memory
  const std::byte* data = nullptr;  ///< in the address space of the process that made it
  std::uint64_t process = 0;        ///< a random number of that process: containers may give two the same id

  [[nodiscard]] bool operator==(const PeerAddress& other) const {
    return std::memcmp(&handle, &other.handle, sizeof handle) == 0 && data == other.data && process == other.process;
  }
};

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
  [[nodiscard]] const PeerAddress& address() const { return address_; }

 private:
  struct Block {
    std::byte* data;
    std::size_t bytes;
  };
  DeviceMemory* memory_;
  std::vector<Block> blocks_;
  PeerAddress address_;
};

/// Another rank's PeerBuffer in the address space of the current device.
class OpenedPeer {
 public:
  OpenedPeer() = default;
  ~OpenedPeer() { close(); }
  OpenedPeer(OpenedPeer&& other) noexcept : address_(other.address_), opened_(std::exchange(other.opened_, nullptr)) {}
  OpenedPeer& operator=(OpenedPeer&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(opened_, other.opened_);
    return *this;
  }

  /// Null if it cannot be opened; opens it only once. Memory of this process is read directly.
  [[nodiscard]] const std::byte* open(const PeerAddress& address);

 private:
  void close() noexcept;

  PeerAddress address_;
  void* opened_ = nullptr;
};

}  // namespace multiwalk
