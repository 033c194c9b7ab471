// SPDX-License-Identifier: GPL-3.0-or-later
// Memory for arrays of results, kept for reuse: mapping fresh pages for each call can take longer than a device takes
// for the forces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "host/base/large_memory.hpp"

namespace multiwalk {

/// Several threads may call it.
class ResultMemory {
 public:
  /// Keeps at most `most_kept` bytes that no array uses, in at most four blocks.
  explicit ResultMemory(std::size_t most_kept) : most_kept_(most_kept) { kept_.reserve(most_blocks + 1); }

  /// Not initialised; aligned to 64 bytes. Throws std::bad_alloc.
  void* allocate(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    Block block = take_kept(bytes);
    if (!block.data) block = {std::unique_ptr<void, Free>(allocate_untouched(bytes)), bytes};
    if (!block.data) throw std::bad_alloc();
    void* const data = block.data.get();
    used_.emplace(data, std::move(block));
    return data;
  }
  void deallocate(void* data) noexcept {
    const std::lock_guard lock(mutex_);
    auto node = used_.extract(data);
    kept_bytes_ += node.mapped().bytes;
    kept_.push_back(std::move(node.mapped()));
    while (kept_.size() > most_blocks || kept_bytes_ > most_kept_) {  // the oldest goes first
      kept_bytes_ -= kept_.front().bytes;
      kept_.erase(kept_.begin());
    }
  }
  [[nodiscard]] std::size_t kept_bytes() const { return kept_bytes_; }

 private:
  static constexpr std::size_t most_blocks = 4;

  struct Free {
    void operator()(void* data) const { std::free(data); }
  };
  struct Block {
    std::unique_ptr<void, Free> data;
    std::size_t bytes = 0;
  };

  /// A kept block of this size or up to a quarter more; empty if there is none.
  Block take_kept(std::size_t bytes) {
    const auto fits = [&](const Block& b) { return b.bytes >= bytes && b.bytes <= bytes + bytes / 4; };
    const auto found = std::ranges::find_if(kept_, fits);
    if (found == kept_.end()) return {};
    Block block = std::move(*found);
    kept_.erase(found);
    kept_bytes_ -= block.bytes;
    return block;
  }

  std::size_t most_kept_, kept_bytes_ = 0;
  std::mutex mutex_;
  std::map<void*, Block> used_;
  std::vector<Block> kept_;
};

}  // namespace multiwalk
