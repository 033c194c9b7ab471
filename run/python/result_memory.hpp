// SPDX-License-Identifier: GPL-3.0-or-later
// Memory for arrays of results, kept for reuse: mapping fresh pages for each call can take longer than a device takes
// for the forces.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

#include "host/base/kept_blocks.hpp"
#include "host/base/large_memory.hpp"

namespace multiwalk {

/// Several threads may call it.
class ResultMemory {
 public:
  /// Keeps at most `most_kept` bytes that no array uses, in at most four blocks.
  explicit ResultMemory(std::size_t most_kept) : most_kept_(most_kept) {}

  /// Not initialised; aligned to 64 bytes. Throws std::bad_alloc.
  void* allocate(std::size_t bytes) {
    void* const data = blocks_.take(bytes, [](std::size_t size) {
      return Blocks::Block{Owner(allocate_untouched(size)), size};
    });
    if (data == nullptr) throw std::bad_alloc();
    return data;
  }
  void deallocate(void* data) noexcept {
    blocks_.give_back(data, [this](std::size_t) { return most_kept_; });
  }
  [[nodiscard]] std::size_t kept_bytes() const { return blocks_.kept_bytes(); }

 private:
  struct Free {
    void operator()(void* data) const { std::free(data); }
  };
  using Blocks = KeptBlocks<Free>;
  using Owner = std::unique_ptr<void, Free>;

  std::size_t most_kept_;
  Blocks blocks_;
};

}  // namespace multiwalk
