// SPDX-License-Identifier: GPL-3.0-or-later
// Particles that leave a rank's domain, and how its store changes.
#pragma once

#include <array>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/base/box.hpp"
#include "host/base/host_device.hpp"

namespace multiwalk {

/// Whether x lies in a domain, without its upper faces. No domain contains what is not finite.
MULTIWALK_HOST_DEVICE bool lies_in(const Box& domain, Vec3d x) {
  const auto within = [](double lo, double value, double hi) { return value >= lo && value >= -DBL_MAX && value < hi; };
  return within(domain.lo.x, x.x, domain.hi.x) && within(domain.lo.y, x.y, domain.hi.y) &&
         within(domain.lo.z, x.z, domain.hi.z);
}

/// How a store changed when particles were exchanged with other ranks. All lists are of indices in the store.
struct StoreChange {
  std::vector<std::uint32_t> left;     ///< rising
  std::vector<std::uint32_t> arrived;  ///< rising
  /// Element k of `moved_from` (rising) became element moved_to[k].
  std::vector<std::uint32_t> moved_from, moved_to;
  std::size_t before = 0, after = 0;  ///< numbers of particles
};

/// Where a rank's packed strays lie in the memory of its device, for other ranks of the same host; zeros: nowhere.
using StrayAddress = std::array<std::byte, 80>;

/// Kept particles outside the domain of their rank, packed without their ids for the ranks that own them. Valid until
/// strays are packed again.
struct PackedStrays {
  bool fit = true;                           ///< false: there was no room to sort them, and nothing is packed
  std::span<const std::uint32_t> index{};    ///< (n) in the store, rising
  std::span<const std::uint32_t> by_rank{};  ///< (n) the same in the order of packing: by rank, then rising
  std::span<const std::uint32_t> first{};    ///< (ranks + 2) in by_rank: first of each rank, first of no rank, n
  std::size_t each = 0;                      ///< bytes of a packed particle, which begins with its position (Vec3d)
  StrayAddress address{};
  std::uint64_t offset = 0;  ///< bytes from the address to the first
};

/// Host memory for packed particles that devices cannot read from each other.
struct StrayMessages {
  std::span<const std::byte> leaving;
  std::span<std::byte> arriving;
};

/// Packed particles that a rank's device reads from the memory of another.
struct StrayBlock {
  std::size_t rank = 0;      ///< the owner of the memory
  std::uint64_t offset = 0;  ///< bytes from its address to the first
  std::size_t count = 0;
};

/// The change when the particles at `left` (rising) leave a store of `before` particles and `coming` others arrive.
/// Arrivals take the elements of those that leave and then new ones at the end; if there are fewer arrivals, the last
/// particles that stay fill the gaps.
StoreChange plan_exchange(std::span<const std::uint32_t> left, std::size_t coming, std::size_t before);

/// The last elements of an array of `size` that fill its holes (rising), so that the first `staying` remain: element k
/// of the result (rising) fills holes[k], for each hole below `staying`. Throws Error if their numbers differ.
std::vector<std::uint32_t> fillers(std::span<const std::uint32_t> holes, std::size_t staying, std::size_t size);

}  // namespace multiwalk
