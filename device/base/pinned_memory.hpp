// SPDX-License-Identifier: GPL-3.0-or-later
// Page-locked host memory for standard containers: copies from it to a device run asynchronously.
#pragma once

#include <cstddef>
#include <memory_resource>

namespace multiwalk {

/// The resource from which every device copies. Throws Error if the system has no more lockable memory. Each allocation
/// is slow (about a millisecond): reserve.
std::pmr::memory_resource* pinned_memory();

/// Whether a device can copy from this array without staging.
bool is_page_locked(const void* data, std::size_t bytes);

/// Growing page-locked memory; contents are lost when it grows.
template <class T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  ~PinnedBuffer() { release(); }

  /// At least `n` elements.
  T* reserve(std::size_t n) {
    if (n <= capacity_) return data_;
    release();
    data_ = static_cast<T*>(pinned_memory()->allocate((n + n / 8) * sizeof(T), alignof(T)));
    capacity_ = n + n / 8;
    return data_;
  }
  [[nodiscard]] T* data() const { return data_; }

 private:
  void release() {
    if (data_ != nullptr) pinned_memory()->deallocate(data_, capacity_ * sizeof(T), alignof(T));
    data_ = nullptr;
    capacity_ = 0;
  }

  T* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace multiwalk
