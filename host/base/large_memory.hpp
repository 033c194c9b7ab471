// SPDX-License-Identifier: GPL-3.0-or-later
// Memory for arrays of many MiB: in huge pages if the system has them, because each page costs time when it is first
// touched, and placed by the threads that touch it first.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace multiwalk {

/// Aligned to 64 bytes, not yet touched. Release with std::free. Null if there is not enough memory.
void* allocate_untouched(std::size_t bytes);

/// Zeros, which the threads of the caller's team touch first. Release with std::free. Null if there is not enough
/// memory.
void* allocate_touched(std::size_t bytes);

template <class T>
struct LargeAllocator {
  using value_type = T;

  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}

  T* allocate(std::size_t n) {
    void* data = allocate_untouched(n * sizeof(T));
    if (data == nullptr) throw std::bad_alloc();
    return static_cast<T*>(data);
  }
  void deallocate(T* data, std::size_t) noexcept { std::free(data); }
  /// Elements that resize adds stay uninitialised.
  template <class Element>
  void construct(Element*) noexcept {
    static_assert(std::is_trivially_copyable_v<Element>);
  }
  template <class Element, class... Arguments>
  void construct(Element* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }
};

/// For one value per particle in working memory; uninitialised after a resize.
template <class T>
using LargeArray = std::vector<T, LargeAllocator<T>>;

/// Bytes given back at once instead of when the array goes out of scope.
template <class T>
void release(LargeArray<T>& array) {
  LargeArray<T>().swap(array);
}

}  // namespace multiwalk
