// Which force back end a run uses, and why.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/communicator.hpp"
#include "host/force/force_backend.hpp"
#include "run/device_share.hpp"

namespace multiwalk {

struct BackendChoice {
  std::unique_ptr<ForceBackend> backend;
  std::string why;                   ///< one line for the log
  std::vector<int> devices;          ///< CUDA devices this rank uses; empty on the CPU
  int devices_in_all = 0;            ///< of all ranks, each once
  std::vector<std::string> metered;  ///< PCI bus ids of the devices whose energy this rank counts
};

/// `name`: auto (GPUs if every rank has one that works, else the CPU), cpu, cpu:INSTRUCTION_SET, cuda; on one
/// rank also direct, ewald (periodic boxes), and cuda-i and cuda-j, which evaluate one walk per launch.
/// `devices`: CUDA device numbers on each host, empty for all; a host's ranks share them. The same kind on every rank.
/// Throws InputError if what was asked for does not work. Collective.
BackendChoice choose_backend(const std::string& name, const std::vector<int>& devices, const Communicator& comm = {});

/// Those of the devices the driver shows on this rank that may be used: the `wanted` numbers, all if none is. Throws
/// InputError if a wanted one does not exist.
std::vector<VisibleDevice> allowed_devices(const std::vector<int>& wanted, std::string& why);

/// The devices the driver shows on this rank; none: `why` says why. Takes no memory on them.
std::vector<VisibleDevice> visible_devices(std::string& why);

/// The back end cuda, cuda-i or cuda-j on these devices, at most `memory_limit` bytes on each (0: what is free), or
/// null and the reason in `why`. No numbers: every device that works; cuda-i and cuda-j use one. Throws InputError if a
/// named device does not exist or work.
BackendChoice try_cuda(const std::string& name, const std::vector<int>& numbers, std::uint64_t memory_limit);

}  // namespace multiwalk
