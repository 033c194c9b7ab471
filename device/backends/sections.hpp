// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of several arrays in one piece of memory.
#pragma once

#include <cstddef>

namespace multiwalk {

/// Some elements of several arrays, one array after the other in one piece of memory.
class Sections {
 public:
  explicit Sections(std::byte* memory) : memory_(memory) {}

  /// The next array.
  template <class T>
  T* next(std::size_t count) {
    auto* const array = reinterpret_cast<T*>(memory_ + bytes_);
    bytes_ += (count * sizeof(T) + alignment - 1) / alignment * alignment;
    return array;
  }
  /// Bytes of the arrays so far.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  static constexpr std::size_t alignment = 16;

 private:
  std::byte* memory_;
  std::size_t bytes_ = 0;
};

}  // namespace multiwalk
