// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/backends/chosen_backend.hpp"

#include <fmt/format.h>

#include "run/machine/machine.hpp"

namespace multiwalk {

std::string too_few_for_cuda(double pairs) {
  constexpr double enough = 1e5;
  if (pairs >= enough) return "";
  return fmt::format("an evaluation of about {:.2g} pairs is done before a GPU begins (backend = \"cuda\" takes one)",
                     pairs);
}

std::string whose(const Communicator& comm) {
  return comm.alone() ? "" : fmt::format("rank {} on {}: ", comm.rank(), host_name());
}

std::string ranks_on_devices(const Communicator& comm, int devices, int sharers) {
  if (comm.alone()) return "";
  const std::string shared = sharers > 1 ? fmt::format(", up to {} on one", sharers) : "";
  return fmt::format("; {} ranks on {} GPUs{}", comm.size(), devices, shared);
}

}  // namespace multiwalk
