// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/backends/device_advice.hpp"

#include <fmt/format.h>

#include "run/machine/device_share.hpp"

namespace multiwalk {

std::string device_advice(const DeviceUse& use) {
  if (use.used == 0) return "";
  if (use.ranks == 1 && use.used > 1) {
    return fmt::format(
        "run.devices gives {} GPUs to one rank, which is slower than one GPU: leave it out, or start a rank for each "
        "GPU",
        use.used);
  }
  if (use.used >= use.visible || use.named) return "";
  if (use.ranks == 1) {
    return fmt::format(
        "one of this host's {} GPUs is used; `mpiexec -n {} multiwalk run ...` uses all and is faster "
        "for many particles",
        use.visible, use.visible);
  }
  return fmt::format("{} ranks use {} of this host's {} GPUs: start as many ranks as there are GPUs", use.ranks,
                     use.used, use.visible);
}

std::string device_advice(const std::vector<std::string>& metered, const std::vector<int>& named,
                          const Communicator& comm) {
  const int used = comm.on_this_host().sum(static_cast<int>(metered.size()));
  DeviceUse use{comm.size(), used, 0, !named.empty()};
  std::string ignored;
  if (use.used > 0) use.visible = static_cast<int>(visible_devices(ignored).size());
  return comm.broadcast(device_advice(use));
}

}  // namespace multiwalk
