// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sky/sky_counts.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include "host/base/error.hpp"

namespace multiwalk {

template <class T>
SkySums<T>::SkySums(std::uint32_t nside) : nside_(nside), blocks_((pixels() + block_pixels - 1) / block_pixels) {}

template <class T>
SkySums<T>::~SkySums() {
  for (const std::atomic<T*>& block : blocks_) delete[] block.load();
}

template <class T>
std::uint32_t SkySums<T>::block_size() const {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(pixels(), block_pixels));
}

template <class T>
T* SkySums<T>::block_for(std::uint64_t index) {
  std::atomic<T*>& place = blocks_[index];
  T* there = place.load(std::memory_order_acquire);
  if (there != nullptr) return there;
  auto made = std::make_unique<T[]>(block_size());
  if (!place.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel)) return there;
  return made.release();
}

template <class T>
template <class Value>
void SkySums<T>::add_each(std::span<const std::uint64_t> pixels, Value value) {
  constexpr std::size_t at_once = 64;
  std::array<T*, at_once> place;
  for (std::size_t first = 0; first < pixels.size(); first += at_once) {
    const auto piece = pixels.subspan(first, std::min(at_once, pixels.size() - first));
    for (std::size_t k = 0; k < piece.size(); ++k) {
      place[k] = block_for(piece[k] / block_pixels) + piece[k] % block_pixels;
      __builtin_prefetch(place[k], 1);  // they lie far apart, and atomic additions wait for each other
    }
    for (std::size_t k = 0; k < piece.size(); ++k) {
      std::atomic_ref(*place[k]).fetch_add(value(first + k), std::memory_order_relaxed);
    }
  }
}

template <class T>
void SkySums<T>::add(std::span<const std::uint64_t> pixels) {
  add_each(pixels, [](std::size_t) { return T{1}; });
}

template <class T>
void SkySums<T>::add(std::span<const std::uint64_t> pixels, std::span<const T> values) {
  add_each(pixels, [&](std::size_t k) { return values[k]; });
}

template <class T>
std::span<const T> SkySums<T>::block(std::uint64_t index) const {
  const T* const made = blocks_[index].load();
  return {made, made != nullptr ? block_size() : 0};
}

template <class T>
void SkySums<T>::add_block(std::uint64_t index, std::span<const T> values) {
  if (index >= blocks() || values.size() != block_size()) throw InputError("sums of a sky of another resolution");
  T* const to = block_for(index);
  for (std::size_t i = 0; i < values.size(); ++i) to[i] += values[i];
}

template <class T>
typename SkySums<T>::Total SkySums<T>::total() const {
  Total sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (std::uint64_t b = 0; b < blocks(); ++b) {
    const auto values = block(b);
    sum = std::accumulate(values.begin(), values.end(), sum);
  }
  return sum;
}

template <class T>
void SkySums<T>::move_to_root(const Communicator& comm) {
  if (comm.alone()) return;
  constexpr std::uint64_t at_once = 256;  // blocks
  for (std::uint64_t first = 0; first < blocks(); first += at_once) {
    const std::uint64_t count = std::min(at_once, blocks() - first);
    std::vector<std::int32_t> present(count);
    for (std::uint64_t b = 0; b < count; ++b) present[b] = !block(first + b).empty();
    comm.max(std::span(present));
    std::vector<T> sums;
    for (std::uint64_t b = 0; b < count; ++b) {
      if (present[b] == 0) continue;
      const auto own = block(first + b);
      sums.insert(sums.end(), own.begin(), own.end());
      if (own.empty()) sums.resize(sums.size() + block_size());
      delete[] blocks_[first + b].exchange(nullptr);
    }
    comm.sum(std::span(sums));
    for (std::uint64_t b = 0, at = 0; b < count && comm.root(); ++b) {
      if (present[b] != 0) add_block(first + b, std::span<const T>(sums).subspan(block_size() * at++, block_size()));
    }
  }
}

template class SkySums<std::uint32_t>;
template class SkySums<std::int64_t>;

void SkyMaps::add_pixels(std::uint64_t first, std::span<const std::uint32_t> numbers,
                         std::span<const std::int64_t> sums) {
  const std::size_t block = std::min<std::uint64_t>(counts.pixels(), SkyCounts::block_pixels);
  require(first % block == 0 && numbers.size() % block == 0, "the pixels are not whole blocks");
#pragma omp parallel for schedule(dynamic, 4)
  for (std::size_t k = 0; k < numbers.size(); k += block) {
    const auto some = numbers.subspan(k, block);
    if (std::ranges::all_of(some, [](std::uint32_t n) { return n == 0; })) continue;
    counts.add_block((first + k) / block, some);
    if (velocities) velocities->add_block((first + k) / block, sums.subspan(k, block));
  }
}

}  // namespace multiwalk
