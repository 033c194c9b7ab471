// SPDX-License-Identifier: GPL-3.0-or-later
// Sums in the HEALPix pixels of the sky (Gorski et al. 2005), stored only where they are not 0.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/sky/sky_counter.hpp"

namespace multiwalk {

/// Whole numbers, whose sums do not depend on their order. Pixels are numbered in the nested scheme, in which a block
/// of consecutive pixels is a compact region of the sky.
template <class T>
class SkySums {
 public:
  using Total = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;

  static constexpr std::uint32_t block_pixels = 4096;

  /// `nside`: a power of 2, at most 16384.
  explicit SkySums(std::uint32_t nside);
  SkySums(const SkySums&) = delete;
  SkySums& operator=(const SkySums&) = delete;
  ~SkySums();

  [[nodiscard]] std::uint32_t nside() const { return nside_; }
  [[nodiscard]] std::uint64_t pixels() const { return 12 * std::uint64_t{nside_} * nside_; }
  [[nodiscard]] std::uint64_t blocks() const { return blocks_.size(); }

  /// Adds one to each of these pixels. Several threads may call it.
  void add(std::span<const std::uint64_t> pixels);
  /// Adds one value to each of these pixels. Several threads may call it.
  void add(std::span<const std::uint64_t> pixels, std::span<const T> values);
  /// (block_pixels, fewer if the whole sphere has fewer) The sums of a block; empty if all are 0.
  [[nodiscard]] std::span<const T> block(std::uint64_t index) const;
  void add_block(std::uint64_t index, std::span<const T> values);
  [[nodiscard]] Total total() const;

  /// Adds the sums of all ranks on rank 0; the other ranks then have none. Memory: a few MB. Collective.
  void move_to_root(const Communicator& comm);

 private:
  [[nodiscard]] std::uint32_t block_size() const;
  /// The block, allocated if it does not exist.
  T* block_for(std::uint64_t index);
  /// value(k): what is added to the k-th of these pixels.
  template <class Value>
  void add_each(std::span<const std::uint64_t> pixels, Value value);

  std::uint32_t nside_;
  std::vector<std::atomic<T*>> blocks_;
};

using SkyCounts = SkySums<std::uint32_t>;

/// Sums of radial peculiar velocities, positive away from the observer.
using SkyVelocities = SkySums<std::int64_t>;

/// Sums over the particles in each pixel of a shell.
struct SkyMaps {
  SkyCounts counts;                         ///< of particles
  std::optional<SkyVelocities> velocities;  ///< of these particles

  SkyMaps(std::uint32_t nside, bool with_velocities) : counts(nside) {
    if (with_velocities) velocities.emplace(nside);
  }
  /// Adds to consecutive pixels, which are whole blocks. `sums`: of velocities; empty without velocities. Uses all
  /// threads.
  void add_pixels(std::uint64_t first, std::span<const std::uint32_t> numbers, std::span<const std::int64_t> sums);
  void move_to_root(const Communicator& comm) {
    counts.move_to_root(comm);
    if (velocities) velocities->move_to_root(comm);
  }
};

}  // namespace multiwalk
