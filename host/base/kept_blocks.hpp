// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of memory that are slow to make: a few unused ones are kept for new arrays of nearly their size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "host/threads/fork.hpp"

namespace multiwalk {

/// Several threads may call it. `Free` frees a block.
template <class Free>
class KeptBlocks {
 public:
  struct Block {
    std::unique_ptr<void, Free> data;
    std::size_t bytes = 0;
  };

  KeptBlocks() { kept_.reserve(most_blocks + 1); }

  /// The smallest kept block of this size or up to a quarter more; if there is none, make(bytes). Null if that
  /// returns an empty block.
  template <class Make>
  [[nodiscard]] void* take(std::size_t bytes, const Make& make) {
    const std::lock_guard lock(mutex_);
    Block block = take_kept(bytes);
    if (!block.data) block = make(bytes);
    if (!block.data) return nullptr;
    void* const data = block.data.get();
    const std::size_t size = block.bytes;
    used_.emplace(data, std::move(block));
    used_bytes_ += size;
    return data;
  }
  /// Keeps the four most recent blocks at most, and at most most_kept(bytes in use) bytes. False if the block did not
  /// come from take.
  template <class MostKept>
  bool give_back(void* data, const MostKept& most_kept) noexcept {
    const std::lock_guard lock(mutex_);
    auto node = used_.extract(data);
    if (node.empty()) return false;
    used_bytes_ -= node.mapped().bytes;
    kept_bytes_ += node.mapped().bytes;
    kept_.push_back(std::move(node.mapped()));
    while (kept_.size() > most_blocks || kept_bytes_ > most_kept(used_bytes_)) {
      kept_bytes_ -= kept_.front().bytes;
      kept_.erase(kept_.begin());
    }
    return true;
  }
  [[nodiscard]] std::size_t kept_bytes() const {
    const std::lock_guard lock(mutex_);
    return kept_bytes_;
  }

 private:
  static constexpr std::size_t most_blocks = 4;

  Block take_kept(std::size_t bytes) {
    auto best = kept_.end();
    for (auto b = kept_.begin(); b != kept_.end(); ++b) {
      const bool fits = b->bytes >= bytes && b->bytes <= bytes + bytes / 4;
      if (fits && (best == kept_.end() || b->bytes < best->bytes)) best = b;
    }
    if (best == kept_.end()) return {};
    Block block = std::move(*best);
    kept_.erase(best);
    kept_bytes_ -= block.bytes;
    return block;
  }

  mutable ForkSafeMutex mutex_;
  std::map<void*, Block> used_;
  std::vector<Block> kept_;  ///< oldest first
  std::size_t used_bytes_ = 0, kept_bytes_ = 0;
};

}  // namespace multiwalk
