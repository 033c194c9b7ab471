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

/// Returns true to abandon the block; the same on all ranks. Collective.
using BlockWatch = std::function<bool(const BlockMoment&)>;

}  // namespace multiwalk
