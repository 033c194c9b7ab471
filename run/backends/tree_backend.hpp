// SPDX-License-Identifier: GPL-3.0-or-later
// Which force back end a run uses, and why.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/force/force_backend.hpp"
#include "run/backends/chosen_backend.hpp"

namespace multiwalk {

using BackendChoice = ChosenBackend<ForceBackend>;

/// The properties of the forces by which auto chooses.
struct ExpectedForces {
  double pairs = many_pairs;  ///< that an evaluation sums
};

/// `name`: auto (GPUs if every rank has one that works and there are enough pairs for them, else the CPU), cpu,
/// cpu:INSTRUCTION_SET, cuda, cuda-resident (each rank's only device makes the walks; auto chooses it where
/// host_walks_because() is empty); on one rank also direct and ewald (periodic boxes).
/// `devices`: CUDA device numbers on each host, which its ranks share; if it is empty, each rank takes one. The same
/// kind on every rank. Throws InputError if what was asked for does not work. Collective.
BackendChoice choose_backend(const std::string& name, const std::vector<int>& devices, ExpectedForces expected = {},
                             const Communicator& comm = {});

/// Why auto leaves the walks to the host; empty if the device makes them. `devices`: of one rank.
std::string host_walks_because(int devices, int ranks);

/// CUDA's numbers of the devices on which a kernel of this program ran.
std::vector<int> working_devices();
/// The first of them, found without touching the others; empty if there is none.
std::vector<int> first_working_device();

/// The back end cuda on these devices, at most `memory_limit` bytes on each (0: what is free), or null and the reason
/// in `why`. `device_walks`: cuda-resident. No numbers: every device that works. Throws InputError if a named device
/// does not exist or work.
BackendChoice try_cuda(const std::vector<int>& numbers, std::uint64_t memory_limit, bool device_walks = false);

}  // namespace multiwalk
