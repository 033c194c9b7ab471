// SPDX-License-Identifier: GPL-3.0-or-later
// A back end with the reason for it, and how those on GPUs are chosen: on every rank or on none.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "run/machine/device_share.hpp"

namespace multiwalk {

template <class Backend>
struct ChosenBackend {
  std::unique_ptr<Backend> backend;
  std::string why;                   ///< one line for the log
  std::vector<int> devices;          ///< CUDA devices this rank uses; empty on the CPU
  int devices_in_all = 0;            ///< of all ranks, each once
  std::vector<std::string> metered;  ///< PCI bus ids of the devices whose energy this rank counts
};

/// The number of pairs per evaluation of forces that is assumed if nothing is known about it.
inline constexpr double many_pairs = std::numeric_limits<double>::infinity();

/// Why back end auto does not use GPUs; empty if it may: one CPU thread sums 100,000 pairs in the time of the copies
/// and launches of a GPU's evaluation (50 to 100 us).
std::string too_few_for_cuda(double pairs);

/// "rank 3 on HOST: " if there are several ranks.
std::string whose(const Communicator& comm);
/// "; 8 ranks on 4 GPUs, up to 2 on one" if there are several ranks. `devices` and `sharers` are those of all ranks.
std::string ranks_on_devices(const Communicator& comm, int devices, int sharers);

/// A rank's share of the devices.
struct OwnDevices {
  std::vector<int> numbers;        ///< CUDA's
  std::uint64_t memory_limit = 0;  ///< bytes on each; 0: what is free
  int most = 1;                    ///< devices of a rank
};

/// attempt(OwnDevices): a back end on a rank's share of the `wanted` devices, or on one device if none are named, or
/// null and the reason in `why`. Null on every rank if one has none; `why` then names the rank. Throws SharedError if a
/// wanted device does not exist. Collective.
template <class Backend, class Attempt>
ChosenBackend<Backend> cuda_on_ranks(const std::vector<int>& wanted, const Communicator& comm, const Attempt& attempt) {
  std::string obstacle;
  const auto allowed = collectively(comm, [&] { return allowed_devices(wanted, obstacle); });
  const DeviceShare share = share_devices(comm.on_this_host(), allowed, !wanted.empty());
  OwnDevices own{{}, share.memory_limit, comm.max(static_cast<int>(share.devices.size()))};
  for (const VisibleDevice& device : share.devices) own.numbers.push_back(device.number);
  auto choice = collectively(comm, [&]() -> ChosenBackend<Backend> {
    if (!own.numbers.empty()) return attempt(own);
    return {nullptr, obstacle.empty() ? "no device is left for it" : obstacle, {}, 0, {}};
  });
  const int lacking = comm.min(choice.backend ? comm.size() : comm.rank());
  if (lacking < comm.size()) return {nullptr, comm.broadcast(whose(comm) + choice.why, lacking), {}, 0, {}};
  choice.metered = share.metered;
  choice.devices_in_all = comm.sum(static_cast<int>(share.metered.size()));
  choice.why += ranks_on_devices(comm, choice.devices_in_all, comm.max(share.ranks));
  return choice;
}

}  // namespace multiwalk
