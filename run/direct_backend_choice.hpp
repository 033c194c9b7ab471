// Which back end sums directly over all pairs, and why.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/communicator.hpp"
#include "host/direct/direct_backend.hpp"

namespace multiwalk {

struct DirectBackendChoice {
  std::unique_ptr<DirectBackend> backend;
  std::string why;                   ///< one line for the log
  std::vector<int> devices;          ///< CUDA devices this rank uses; empty on the CPU
  int devices_in_all = 0;            ///< of all ranks, each once
  std::vector<std::string> metered;  ///< PCI bus ids of the devices whose energy this rank counts
};

/// `name`: auto (GPUs if every rank has one that works, else the CPU), cpu, cpu:INSTRUCTION_SET, cuda, or direct: the
/// scalar double-precision loop. `devices`: CUDA device numbers on each host, empty for all; a host's ranks share them.
/// `threads`: of the CPU, 0: as OpenMP has it. The same kind on every rank. Throws SharedError if what was asked for
/// does not work. Collective.
DirectBackendChoice choose_direct_backend(const std::string& name, const std::vector<int>& devices, int threads,
                                          const Communicator& comm = {});

/// The CUDA back end on the first of these devices, of which there is one at least, or null and the reason in `why`.
DirectBackendChoice try_cuda_direct(const std::vector<int>& numbers);

}  // namespace multiwalk
