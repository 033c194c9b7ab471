// SPDX-License-Identifier: GPL-3.0-or-later
// Walks evaluated one per launch on one NVIDIA GPU: for comparison with the multiple-walk method, not for production.
#pragma once

#include <memory>
#include <string>

#include "device/backends/multiwalk_backend.hpp"

namespace multiwalk {

enum class SingleWalk {
  i_parallel,  ///< "cuda-i": a thread per target, blocks over targets (Nyland et al. 2007; Belleman et al. 2008)
  j_parallel  ///< "cuda-j": sources split over blocks, partial forces reduced by a second kernel (Hamada & Iitaka 2007)
};

/// A back end on the first device that works, or the one named; null if none works: `why` says why. Throws InputError
/// if several are named or the one named does not work. submit returns with the forces; BackendTimes::device sums the
/// seconds in which lanes waited for them, copies of lists and results included.
std::unique_ptr<ForceBackend> make_single_walk_backend(SingleWalk strategy, const CudaOptions& options,
                                                       std::string& why);

}  // namespace multiwalk
