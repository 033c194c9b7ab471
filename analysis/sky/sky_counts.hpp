// SPDX-License-Identifier: GPL-3.0-or-later
// Counts in the HEALPix pixels of the sky (Gorski et al. 2005), stored only where they are not 0.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// Pixels are numbered in the nested scheme, in which a block of consecutive pixels is a compact region of the sky.
class SkyCounts {
 public:
  static constexpr std::uint32_t block_pixels = 4096;

  /// `nside`: a power of 2, at most 16384.
  explicit SkyCounts(std::uint32_t nside);
  SkyCounts(const SkyCounts&) = delete;
  SkyCounts& operator=(const SkyCounts&) = delete;
  ~SkyCounts();

  [[nodiscard]] std::uint32_t nside() const { return nside_; }
  [[nodiscard]] std::uint64_t pixels() const { return 12 * std::uint64_t{nside_} * nside_; }
  [[nodiscard]] std::uint64_t blocks() const { return blocks_.size(); }

  /// Adds one to each of these pixels. Several threads may call it.
  void add(std::span<const std::uint64_t> pixels);
  /// (block_pixels, fewer if the whole sphere has fewer) The counts of a block; empty if all are 0.
  [[nodiscard]] std::span<const std::uint32_t> block(std::uint64_t index) const;
  void add_block(std::uint64_t index, std::span<const std::uint32_t> counts);
  [[nodiscard]] std::uint64_t total() const;

  /// Adds the counts of all ranks on rank 0; the other ranks then have none. Memory: a few MB. Collective.
  void move_to_root(const Communicator& comm);

 private:
  [[nodiscard]] std::uint32_t block_size() const;
  /// The block, allocated if it does not exist.
  std::uint32_t* block_for(std::uint64_t index);

  std::uint32_t nside_;
  std::vector<std::atomic<std::uint32_t*>> blocks_;
  std::mutex making_;
};

}  // namespace multiwalk
