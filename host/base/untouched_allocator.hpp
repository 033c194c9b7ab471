// SPDX-License-Identifier: GPL-3.0-or-later
// An allocator whose elements stay uninitialised when an array is resized, so that the threads that write them first
// also place their pages.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "host/base/out_of_memory.hpp"

namespace multiwalk {

/// `Memory` has the static functions allocate(bytes), null or std::bad_alloc if there is not enough, and
/// deallocate(data, bytes).
template <class T, class Memory>
struct UntouchedAllocator {
  using value_type = T;

  UntouchedAllocator() = default;
  template <class U>
  UntouchedAllocator(const UntouchedAllocator<U, Memory>&) {}

  T* allocate(std::size_t n) {
    void* data = Memory::allocate(n * sizeof(T));
    if (data == nullptr) throw OutOfMemory(n * sizeof(T));
    return static_cast<T*>(data);
  }
  void deallocate(T* data, std::size_t n) noexcept { Memory::deallocate(data, n * sizeof(T)); }
  template <class Element>
  void construct(Element*) noexcept {
    static_assert(std::is_trivially_copyable_v<Element>);
  }
  template <class Element, class... Arguments>
  void construct(Element* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
  friend bool operator==(const UntouchedAllocator&, const UntouchedAllocator&) { return true; }
};

}  // namespace multiwalk
