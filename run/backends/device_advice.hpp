// SPDX-License-Identifier: GPL-3.0-or-later
// Advice on how many GPUs and ranks suit a run best, if it has another number.
#pragma once

#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// What decides it: the ranks and GPUs of one host.
struct DeviceUse {
  int ranks = 1;
  int used = 0;        ///< GPUs that these ranks use
  int visible = 0;     ///< GPUs that they might use
  bool named = false;  ///< by run.devices
};

/// One line, empty if there is nothing to advise.
std::string device_advice(const DeviceUse& use);

/// The same for the ranks of `comm`, with the devices that this one meters and those that run.devices names; the same
/// text on every rank. Collective.
std::string device_advice(const std::vector<std::string>& metered, const std::vector<int>& named,
                          const Communicator& comm);

}  // namespace multiwalk
