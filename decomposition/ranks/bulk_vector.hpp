// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors of millions of elements that are written right after they are made: resize leaves new elements uninitialised,
// so that the threads that write them first also place their pages.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace multiwalk {

template <class T>
struct UntouchedAllocator : std::allocator<T> {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  template <class Element>
  void construct(Element*) noexcept {}
  template <class Element, class... Arguments>
  void construct(Element* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
};

/// Elements that resize adds are uninitialised.
template <class T>
using BulkVector = std::vector<T, UntouchedAllocator<T>>;

}  // namespace multiwalk
