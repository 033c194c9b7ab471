// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/large_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace multiwalk {

void* allocate_touched(std::size_t bytes) {
  constexpr std::size_t huge_page = std::size_t{1} << 21, cache_line = 64;
  const std::size_t alignment = bytes >= 2 * huge_page ? huge_page : cache_line;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  auto* const data = static_cast<std::byte*>(std::aligned_alloc(alignment, bytes));
  if (data == nullptr) return nullptr;
  // If there are no huge pages, ordinary ones are slower but work.
  if (alignment == huge_page) ::madvise(data, bytes, MADV_HUGEPAGE);
#pragma omp parallel for schedule(static)
  for (std::size_t first = 0; first < bytes; first += alignment) std::memset(data + first, 0, alignment);
  return data;
}

}  // namespace multiwalk
