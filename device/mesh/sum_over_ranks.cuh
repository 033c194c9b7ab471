// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of whole numbers that several ranks' devices hold, the same on all of them whatever the order of addition.
#pragma once

#include <cstddef>
#include <vector>

#include "device/base/peer_memory.cuh"
#include "device/base/pinned_memory.hpp"
#include "device/base/stream.cuh"
#include "host/force/tree_exchange.hpp"

namespace multiwalk {

/// Adds up arrays in pieces, of which each rank adds up one slice and gives it to the others. Ranks of one host read
/// each other's device memory (CUDA IPC); others send through page-locked memory. Holds at most 300 MB of the
/// device, and as much of the host where ranks cannot read each other's memory.
class SumOverRanks {
 public:
  using Number = unsigned long long;

  explicit SumOverRanks(DeviceMemory& memory) : shown_(memory) {}

  /// Makes room, and finds how numbers travel. False, on all ranks: one lacks the room. Collective.
  [[nodiscard]] bool prepare(TreeExchange& ranks);
  /// numbers[i], i < n, in the memory of the current device becomes the sum of all ranks' numbers[i]. n is the same on
  /// all ranks, all of which are prepared. Collective; waits for the stream.
  void add_up(Number* numbers, std::size_t n, TreeExchange& ranks, const Stream& stream);

 private:
  /// Numbers at a time. A rank shows others a piece of its numbers, and behind it the sums of its slice.
  static constexpr std::size_t piece = std::size_t{1} << 24;

  struct Slices;
  [[nodiscard]] Number* shown() const { return reinterpret_cast<Number*>(shown_.data()); }
  void add_shown(const Slices& slices, Number* numbers, TreeExchange& ranks, const Stream& stream);
  void add_sent(const Slices& slices, Number* numbers, TreeExchange& ranks, const Stream& stream);

  PeerBuffer shown_;
  std::vector<OpenedPeer> peers_;        ///< (ranks)
  std::vector<const Number*> shown_by_;  ///< (ranks) what others show; empty: they send
  PinnedBuffer<Number> leaving_, coming_;
};

}  // namespace multiwalk
