// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sky/sky_counts.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "host/base/error.hpp"

namespace multiwalk {

SkyCounts::SkyCounts(std::uint32_t nside) : nside_(nside), blocks_((pixels() + block_pixels - 1) / block_pixels) {}

SkyCounts::~SkyCounts() {
  for (const std::atomic<std::uint32_t*>& block : blocks_) delete[] block.load();
}

std::uint32_t SkyCounts::block_size() const {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(pixels(), block_pixels));
}

std::uint32_t* SkyCounts::block_for(std::uint64_t index) {
  std::atomic<std::uint32_t*>& place = blocks_[index];
  if (std::uint32_t* const made = place.load(std::memory_order_acquire)) return made;
  const std::lock_guard lock(making_);
  if (place.load() == nullptr) place.store(new std::uint32_t[block_size()](), std::memory_order_release);
  return place.load();
}

void SkyCounts::add(std::span<const std::uint64_t> pixels) {
  constexpr std::size_t at_once = 64;
  std::array<std::uint32_t*, at_once> place;
  for (std::size_t first = 0; first < pixels.size(); first += at_once) {
    const auto piece = pixels.subspan(first, std::min(at_once, pixels.size() - first));
    for (std::size_t k = 0; k < piece.size(); ++k) {
      place[k] = block_for(piece[k] / block_pixels) + piece[k] % block_pixels;
      __builtin_prefetch(place[k], 1);  // they lie far apart, and atomic additions wait for each other
    }
    for (std::size_t k = 0; k < piece.size(); ++k) std::atomic_ref(*place[k]).fetch_add(1, std::memory_order_relaxed);
  }
}

std::span<const std::uint32_t> SkyCounts::block(std::uint64_t index) const {
  const std::uint32_t* const made = blocks_[index].load();
  return {made, made != nullptr ? block_size() : 0};
}

void SkyCounts::add_block(std::uint64_t index, std::span<const std::uint32_t> counts) {
  if (index >= blocks() || counts.size() != block_size()) throw InputError("counts of a sky of another resolution");
  std::uint32_t* const to = block_for(index);
  for (std::size_t i = 0; i < counts.size(); ++i) to[i] += counts[i];
}

std::uint64_t SkyCounts::total() const {
  std::uint64_t sum = 0;
  for (std::uint64_t b = 0; b < blocks(); ++b) {
    const auto counts = block(b);
    sum = std::accumulate(counts.begin(), counts.end(), sum);
  }
  return sum;
}

void SkyCounts::move_to_root(const Communicator& comm) {
  if (comm.alone()) return;
  constexpr std::uint64_t at_once = 256;  // blocks
  for (std::uint64_t first = 0; first < blocks(); first += at_once) {
    const std::uint64_t count = std::min(at_once, blocks() - first);
    std::vector<std::int32_t> present(count);
    for (std::uint64_t b = 0; b < count; ++b) present[b] = !block(first + b).empty();
    comm.max(std::span(present));
    std::vector<std::uint32_t> counts;
    for (std::uint64_t b = 0; b < count; ++b) {
      if (present[b] == 0) continue;
      const auto own = block(first + b);
      counts.insert(counts.end(), own.begin(), own.end());
      if (own.empty()) counts.resize(counts.size() + block_size());
      delete[] blocks_[first + b].exchange(nullptr);
    }
    comm.sum(std::span(counts));
    for (std::uint64_t b = 0, at = 0; b < count && comm.root(); ++b) {
      if (present[b] != 0) add_block(first + b, std::span(counts).subspan(block_size() * at++, block_size()));
    }
  }
}

}  // namespace multiwalk
