// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/large_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace multiwalk {

namespace {

constexpr std::size_t huge_page = std::size_t{1} << 21, cache_line = 64;

/// The alignment of an array of this size; its size is rounded up to a multiple.
std::size_t unit_of(std::size_t bytes) {
  return bytes >= 2 * huge_page ? huge_page : cache_line;
}

}  // namespace

void* allocate_untouched(std::size_t bytes) {
  const std::size_t unit = unit_of(bytes), whole = (bytes + unit - 1) / unit * unit;
  void* const data = std::aligned_alloc(unit, whole);
  // If there are no huge pages, ordinary ones are slower but work.
  if (data != nullptr && unit == huge_page) ::madvise(data, whole, MADV_HUGEPAGE);
  return data;
}

void* allocate_touched(std::size_t bytes) {
  auto* const data = static_cast<std::byte*>(allocate_untouched(bytes));
  if (data == nullptr) return nullptr;
  const std::size_t unit = unit_of(bytes);
#pragma omp parallel for schedule(static)
  for (std::size_t first = 0; first < bytes; first += unit) std::memset(data + first, 0, std::min(unit, bytes - first));
  return data;
}

}  // namespace multiwalk
