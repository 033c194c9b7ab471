// SPDX-License-Identifier: GPL-3.0-or-later
// Which back end sums directly over all pairs, and why.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/direct/direct_backend.hpp"
#include "host/time/block_stepper.hpp"
#include "run/backends/chosen_backend.hpp"

namespace multiwalk {

using DirectBackendChoice = ChosenBackend<DirectBackend>;

/// `name`: auto (GPUs if every rank has one that works and there are enough pairs for them, else the CPU), cpu,
/// cpu:INSTRUCTION_SET, cuda, or direct: the scalar double-precision loop. `devices`: CUDA device numbers on each host,
/// which its ranks share, empty for all; each rank takes one. `threads`: of the CPU, 0: as OpenMP has it. `pairs`: that
/// an evaluation sums. The same kind on every rank. Throws SharedError if what was asked for does not work. Collective.
DirectBackendChoice choose_direct_backend(const std::string& name, const std::vector<int>& devices, int threads,
                                          double pairs = many_pairs, const Communicator& comm = {});

/// Busy threads of a rank besides OpenMP's: one drives the ring's messages while a device sums. If both compete for
/// cores, steps of milliseconds wait for the scheduler.
int threads_of_messages(const DirectBackendChoice& choice, const Communicator& comm);

/// Makes Hermite's block steps on this CUDA device; null if it cannot.
std::unique_ptr<BlockStepper> cuda_block_stepper(int device);

/// The CUDA back end on the first of these devices, of which there is one at least, or null and the reason in `why`.
DirectBackendChoice try_cuda_direct(const std::vector<int>& numbers);

}  // namespace multiwalk
