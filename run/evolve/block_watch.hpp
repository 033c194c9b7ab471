// SPDX-License-Identifier: GPL-3.0-or-later
// Called between two substeps of a block, so that its caller may show progress or abandon it.
#pragma once

#include <cstdint>
#include <functional>

namespace multiwalk {

struct BlockMoment {
  std::uint64_t substeps = 0;  ///< made
  double done = 0;             ///< of the block's time, 0 to 1
  double seconds = 0;          ///< of this rank, since the block began
  int deepest = 0;             ///< rung in use on any rank
  bool kept = false;           ///< the particles can be put back to where the block began
};

/// Whether to keep a copy of the particles at the start of a block, so that it may be abandoned: always if they are in
/// host memory, else if the last block was long, also in comparison with the copy made last.
constexpr bool start_is_worth_keeping(bool on_device, double block_seconds, double copy_seconds) {
  constexpr double long_block = 2, much_longer = 20;
  return !on_device || (block_seconds > long_block && block_seconds > much_longer * copy_seconds);
}

/// Returns true to abandon the block; the same on all ranks. Collective.
using BlockWatch = std::function<bool(const BlockMoment&)>;

}  // namespace multiwalk
