// SPDX-License-Identifier: GPL-3.0-or-later
// Which force back end a run uses, and why.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/force/force_backend.hpp"
#include "run/backends/chosen_backend.hpp"
#include "run/backends/who_walks.hpp"

namespace multiwalk {

using BackendChoice = ChosenBackend<ForceBackend>;

/// The properties of the forces by which a back end is chosen.
struct ExpectedForces {
  double pairs = many_pairs;      ///< that an evaluation sums
  double particles = many_pairs;  ///< of all ranks
  WhoWalks walks = WhoWalks::automatic;
};

/// `name`: auto (GPUs if every rank has one that works and there are enough pairs for them, else the CPU), cpu,
/// cpu:INSTRUCTION_SET, cuda, cuda-resident (asked_walks); on one rank also direct and ewald (periodic boxes).
/// `devices`: CUDA device numbers on each host, which its ranks share; if it is empty, each rank takes one. The same
/// kind on every rank. Throws InputError if what was asked for does not work. Collective.
BackendChoice choose_backend(const std::string& name, const std::vector<int>& devices, ExpectedForces expected = {},
                             const Communicator& comm = {});

/// "cuda, walks by devices (NVIDIA H100)".
std::string name_with_devices(ForceBackend& backend);

/// CUDA's numbers of the devices on which a kernel of this program ran.
std::vector<int> working_devices();
/// The first of them, found without touching the others; empty if there is none.
std::vector<int> first_working_device();

/// The back end cuda on these devices, at most `memory_limit` bytes on each (0: what is free), or null and the reason
/// in `why`. `device_walks`: the only device makes the walks. No numbers: every device that works. Throws InputError if
/// a named device does not exist or work.
BackendChoice try_cuda(const std::vector<int>& numbers, std::uint64_t memory_limit, bool device_walks = false);

}  // namespace multiwalk
