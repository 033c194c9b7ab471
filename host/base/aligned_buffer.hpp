// SPDX-License-Identifier: GPL-3.0-or-later
// Growing scratch memory aligned for vector loads; contents are lost when it grows.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace multiwalk {

template <class T>
class AlignedBuffer {
 public:
  /// At least `n` elements.
  T* reserve(std::size_t n) {
    if (n > capacity_) {
      capacity_ = n + n / 2;
      data_.reset(static_cast<T*>(::operator new(capacity_ * sizeof(T), alignment)));
    }
    return data_.get();
  }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Release {
    void operator()(T* p) const { ::operator delete(p, alignment); }
  };
  std::unique_ptr<T, Release> data_;
  std::size_t capacity_ = 0;
};

}  // namespace multiwalk
