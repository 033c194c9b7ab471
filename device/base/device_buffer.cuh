// SPDX-License-Identifier: GPL-3.0-or-later
// Device memory: a budget per device and arrays that own their memory, allocated in stream order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "device/base/stream.cuh"

namespace multiwalk {

/// The memory that one back end may hold on one device.
class DeviceMemory {
 public:
  /// At most `limit` bytes; 0: as much as the device has.
  DeviceMemory(int device, std::size_t limit) : device_(device), limit_(limit) {
    check_cuda(cudaDeviceGetDefaultMemPool(&pool_, device), "cudaDeviceGetDefaultMemPool");
    std::uint64_t all = UINT64_MAX;  // what is given back is kept for the next evaluation
    check_cuda(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &all), "cudaMemPoolSetAttribute");
  }

  void make_current() const { check_cuda(cudaSetDevice(device_), "cudaSetDevice"); }
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] std::size_t used() const { return used_; }
  /// The largest number of bytes so far.
  [[nodiscard]] std::size_t peak() const { return peak_; }
  /// Bytes that may still be allocated.
  [[nodiscard]] std::size_t available() const {
    std::size_t free = 0, total = 0;
    make_current();
    check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    free += pool_attribute(cudaMemPoolAttrReservedMemCurrent) - pool_attribute(cudaMemPoolAttrUsedMemCurrent);
    if (limit_ == 0) return free;
    return std::min(free, limit_ - std::min(limit_, used_.load()));
  }
  /// Null if the device is full.
  [[nodiscard]] void* allocate(std::size_t bytes, const Stream& stream) {
    if (used_.fetch_add(bytes) + bytes <= limit_ || limit_ == 0) {
      void* data = nullptr;
      make_current();
      cudaError_t status = cudaMallocAsync(&data, bytes, stream.get());
      if (status == cudaErrorMemoryAllocation) {  // free memory may be in pieces
        cudaGetLastError();
        check_cuda(cudaStreamSynchronize(stream.get()), "waiting for memory");
        check_cuda(cudaMemPoolTrimTo(pool_, 0), "cudaMemPoolTrimTo");
        status = cudaMallocAsync(&data, bytes, stream.get());
      }
      if (status == cudaSuccess) {
        record_peak();
        return data;
      }
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
  /// Memory that is allocated at once and outside the pool, so that other processes can open it. Null if the device is
  /// full.
  [[nodiscard]] void* allocate_plain(std::size_t bytes) {
    make_current();
    void* data = nullptr;
    if (limit_ > 0 && used_ + bytes > limit_) return nullptr;
    cudaError_t status = cudaMalloc(&data, bytes);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      cudaDeviceSynchronize();
      check_cuda(cudaMemPoolTrimTo(pool_, 0), "cudaMemPoolTrimTo");
      status = cudaMalloc(&data, bytes);
    }
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      return nullptr;
    }
    check_cuda(status, "cudaMalloc");
    used_ += bytes;
    record_peak();
    return data;
  }
  /// For destructors: waits for the device, whose kernels may still use the memory.
  void free(void* data, std::size_t bytes) noexcept {
    cudaSetDevice(device_);
    cudaDeviceSynchronize();
    cudaFree(data);
    used_ -= bytes;
  }

 private:
  [[nodiscard]] std::uint64_t pool_attribute(cudaMemPoolAttr attribute) const {
    std::uint64_t value = 0;
    check_cuda(cudaMemPoolGetAttribute(pool_, attribute, &value), "cudaMemPoolGetAttribute");
    return value;
  }

  void record_peak() {
    const std::size_t used = used_;
    std::size_t peak = peak_;
    while (used > peak && !peak_.compare_exchange_weak(peak, used)) {
    }
  }

  int device_;
  std::size_t limit_;
  cudaMemPool_t pool_ = nullptr;
  std::atomic<std::size_t> used_{0}, peak_{0};
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
    release(stream);
    data_ = static_cast<T*>(memory_->allocate(count * sizeof(T), stream));
    if (data_ == nullptr) return false;
    capacity_ = count;
    return true;
  }
  /// As reserve, with `spare` more elements if there is room, since sizes change from step to step.
  [[nodiscard]] bool reserve_growing(std::size_t count, std::size_t spare, const Stream& stream) {
    return count <= capacity_ || reserve(count + spare, stream) || reserve(count, stream);
  }
  /// As reserve, but the first `used` elements are kept; half as much again is allocated if there is room. False: the
  /// device is full, and nothing has changed.
  [[nodiscard]] bool reserve_keeping(std::size_t count, std::size_t used, const Stream& stream) {
    return reserve_keeping(count, used, count / 2, stream);
  }
  /// Allocates `spare` more elements if there is room.
  [[nodiscard]] bool reserve_keeping(std::size_t count, std::size_t used, std::size_t spare, const Stream& stream) {
    if (count <= capacity_) return true;
    DeviceBuffer larger(*memory_);
    if (!larger.reserve_growing(count, spare, stream)) return false;
    if (used > 0) {
      check_cuda(cudaMemcpyAsync(larger.data_, data_, used * sizeof(T), cudaMemcpyDeviceToDevice, stream.get()),
                 "cudaMemcpyAsync");
    }
    release(stream);
    *this = std::move(larger);
    return true;
  }
  /// Frees the memory in the order of `stream`.
  void release(const Stream& stream) {
    if (data_ != nullptr) memory_->free(std::exchange(data_, nullptr), capacity_ * sizeof(T), stream);
    capacity_ = 0;
  }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] DeviceMemory& memory() const { return *memory_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  DeviceMemory* memory_;
  T* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace multiwalk
