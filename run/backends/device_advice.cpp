// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/backends/device_advice.hpp"

#include <fmt/format.h>

#include "run/machine/device_share.hpp"

namespace multiwalk {

namespace {

std::string advice_for_ranks(const DeviceUse& use) {
  if (use.forces == RunForces::box) {
    return fmt::format(
        "a box on {} ranks with GPUs is some 20 times slower than on one rank with one GPU, where it stays: if it fits "
        "there, start multiwalk without mpiexec",
        use.ranks);
  }
  if (use.forces == RunForces::vacuum_block_steps) {
    return fmt::format(
        "block steps on {} ranks leave the particles on the hosts: compare the speed with that of one rank with one "
        "GPU, where they stay",
        use.ranks);
  }
  if (use.used >= use.visible || use.named) return "";
  return fmt::format("{} ranks use {} of this host's {} GPUs: start as many ranks as there are GPUs", use.ranks,
                     use.used, use.visible);
}

}  // namespace

std::string device_advice(const DeviceUse& use) {
  if (use.used == 0) return "";
  if (use.ranks > 1) return advice_for_ranks(use);
  if (use.used > 1) {
    return fmt::format("run.devices gives {} GPUs to one rank, which is slower than one GPU: leave it out{}", use.used,
                       use.forces == RunForces::vacuum ? ", or start a rank for each GPU" : "");
  }
  if (use.visible < 2 || use.named) return "";
  const std::string one = fmt::format("one of this host's {} GPUs is used", use.visible);
  const std::string launched = fmt::format("`mpiexec -n {} multiwalk run ...`", use.visible);
  switch (use.forces) {
    case RunForces::box:
    case RunForces::vacuum_block_steps:
      return one + ", which is the fastest way for this run: run.devices = [1] gives the next one to another run";
    case RunForces::vacuum:
      return fmt::format("{}; {} uses all and is faster for many particles", one, launched);
    case RunForces::direct:
      return fmt::format("{}; {} uses all and is faster for many bodies", one, launched);
  }
  return "";
}

std::string device_advice(RunForces forces, const std::vector<std::string>& metered, const std::vector<int>& named,
                          const Communicator& comm) {
  const int used = comm.on_this_host().sum(static_cast<int>(metered.size()));
  DeviceUse use{forces, comm.size(), used, 0, !named.empty()};
  std::string ignored;
  if (use.used > 0) use.visible = static_cast<int>(visible_devices(ignored).size());
  return comm.broadcast(device_advice(use));
}

}  // namespace multiwalk
