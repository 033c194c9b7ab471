// SPDX-License-Identifier: GPL-3.0-or-later
// Command-line options that name forces; shared by bench and accuracy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/tree/gravity_options.hpp"
#include "run/parameters/box_force_parameters.hpp"

namespace CLI {
class App;
}

namespace multiwalk {

struct ForceArguments {
  GravityOptions force;
  BoxForceParameters box;
  std::string backend = "auto";
  std::vector<int> devices;
  int threads = 0;
  std::uint64_t sample = 1000;
  std::uint64_t seed = 1;
  std::string json;

  /// Everything but theta; what is set here before is the default.
  void add_to(CLI::App& command);
};

}  // namespace multiwalk
