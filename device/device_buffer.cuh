// Device memory: a budget per device and arrays that own their memory, allocated in stream order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include "device/stream.cuh"

namespace multiwalk {

/// What one back end may hold on one device.
class DeviceMemory {
 public:
  /// `limit` bytes at most; 0: what the device has.
  DeviceMemory(int device, std::size_t limit) : device_(device), limit_(limit) {}

  void make_current() const { check_cuda(cudaSetDevice(device_), "cudaSetDevice"); }
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] std::size_t used() const { return used_; }
  /// Bytes that may still be taken.
  [[nodiscard]] std::size_t available() const {
    std::size_t free = 0, total = 0;
    make_current();
    check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    if (limit_ == 0) return free;
    return std::min(free, limit_ - std::min(limit_, used_.load()));
  }
  /// Null if the device has no room.
  [[nodiscard]] void* allocate(std::size_t bytes, const Stream& stream) {
    if (used_.fetch_add(bytes) + bytes <= limit_ || limit_ == 0) {
      void* data = nullptr;
      make_current();
      const cudaError_t status = cudaMallocAsync(&data, bytes, stream.get());
      if (status == cudaSuccess) return data;
      used_ -= bytes;
      if (status != cudaErrorMemoryAllocation) check_cuda(status, "cudaMallocAsync");
      cudaGetLastError();
      return nullptr;
    }
    used_ -= bytes;
    return nullptr;
  }
  void free(void* data, std::size_t bytes, const Stream& stream) {
    check_cuda(cudaFreeAsync(data, stream.get()), "cudaFreeAsync");
    used_ -= bytes;
  }
  /// For destructors: waits for the device.
  void free(void* data, std::size_t bytes) noexcept {
    cudaFree(data);
    used_ -= bytes;
  }

 private:
  int device_;
  std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

/// An array on a device; grows, never shrinks. The memory must outlive it.
template <class T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(DeviceMemory& memory) : memory_(&memory) {}
  ~DeviceBuffer() {
    if (data_ != nullptr) memory_->free(data_, capacity_ * sizeof(T));
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : memory_(other.memory_),
        data_(std::exchange(other.data_, nullptr)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  /// Room for `count` elements in the order of `stream`; contents are lost when it grows. False: the device is full,
  /// and the buffer is empty.
  [[nodiscard]] bool reserve(std::size_t count, const Stream& stream) {
    if (count <= capacity_) return true;
    if (data_ != nullptr) memory_->free(std::exchange(data_, nullptr), capacity_ * sizeof(T), stream);
    capacity_ = 0;
    data_ = static_cast<T*>(memory_->allocate(count * sizeof(T), stream));
    if (data_ == nullptr) return false;
    capacity_ = count;
    return true;
  }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  DeviceMemory* memory_;
  T* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace multiwalk
