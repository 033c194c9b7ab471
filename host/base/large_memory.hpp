// SPDX-License-Identifier: GPL-3.0-or-later
// Memory for arrays of many MiB: in huge pages if the system has them, because each page costs time when it is first
// touched, and placed by the threads that touch it first.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <vector>

#include "host/base/untouched_allocator.hpp"

namespace multiwalk {

/// Aligned to 64 bytes, not yet touched. Release with std::free. Null if there is not enough memory.
void* allocate_untouched(std::size_t bytes);

/// Zeros, which the threads of the caller's team touch first. Release with std::free. Null if there is not enough
/// memory.
void* allocate_touched(std::size_t bytes);

struct LargeMemory {
  static void* allocate(std::size_t bytes) { return allocate_untouched(bytes); }
  static void deallocate(void* data, std::size_t) noexcept { std::free(data); }
};

/// For one value per particle in working memory; uninitialised after a resize.
template <class T>
using LargeArray = std::vector<T, UntouchedAllocator<T, LargeMemory>>;

/// Bytes given back at once instead of when the array goes out of scope.
template <class T>
void release(LargeArray<T>& array) {
  LargeArray<T>().swap(array);
}

}  // namespace multiwalk
