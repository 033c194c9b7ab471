// SPDX-License-Identifier: GPL-3.0-or-later
// One walk per launch, as before the multiple-walk method: for comparison with it (Hamada et al. 2009, Fig. 1).
#pragma once

#include "device/walk/walk_kernel.cuh"

namespace multiwalk {

/// One walk and everything its evaluation reads and writes, in device memory.
struct SingleWalkLaunch {
  WalkLaunch arrays;          ///< sources, targets, law; the walk's own lists and results, from the first on
  Walk walk;                  ///< its offsets are not used
  std::uint32_t parts = 1;    ///< into which the sources are split
  float4* partial = nullptr;  ///< (parts x targets) sums without G; not used for one part
};

/// Enqueues the evaluation. A block holds up to 256 targets, one per thread, and sees one part of the sources; the sums
/// of several parts are added by a second kernel. One part is i-parallel (Nyland, Harris & Prins 2007), many are
/// j-parallel with reduction (Hamada & Iitaka 2007). Throws Error if a launch is refused.
void launch_single_walk(const SingleWalkLaunch& launch, cudaStream_t stream);

}  // namespace multiwalk
