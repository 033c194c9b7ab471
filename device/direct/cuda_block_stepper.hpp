// SPDX-License-Identifier: GPL-3.0-or-later
// Hermite's block steps made by one CUDA device, many in one launch.
#pragma once

#include <memory>

#include "host/time/block_stepper.hpp"

namespace multiwalk {

/// Takes P(EC)^1 steps, pairs in double precision or (mixed, hi/lo) in single, of as many bodies as the
/// multiprocessors' shared memory holds (158,000 on an H200). Null if the device of this number does not run
/// cooperative launches. Throws Error if it does not work.
std::unique_ptr<BlockStepper> make_cuda_block_stepper(int device);

}  // namespace multiwalk
