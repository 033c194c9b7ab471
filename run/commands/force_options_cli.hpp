// SPDX-License-Identifier: GPL-3.0-or-later
// Command-line options that name forces; shared by bench and accuracy.
#pragma once

#include <string>
#include <vector>

#include "host/tree/gravity_options.hpp"
#include "run/evolve/box_forces.hpp"
#include "run/parameters/box_force_parameters.hpp"
#include "run/parameters/parameters.hpp"

namespace CLI {
class App;
}

namespace multiwalk {

/// As typed; `resolve` turns names into options.
struct ForceArguments {
  std::string mac;  ///< empty: default_mac()
  std::string multipole = "quadrupole";
  std::string group_size = "auto";
  std::uint32_t leaf_size = 16;
  double alpha = 0, theta = 0;  ///< 0: not given
  std::string accuracy = "standard";
  std::string long_range = "mesh";
  BoxForceParameters box;
  std::string backend = "auto";
  std::vector<int> devices;
  int threads = 0;
  std::uint64_t sample = 1000;
  std::uint64_t seed = 1;
  std::string json;

  /// Everything but theta, which resolve() takes as it finds it.
  void add_to(CLI::App& command);
  [[nodiscard]] GravityOptions resolve() const;
  [[nodiscard]] BoxForceParameters resolve_box() const;
};

}  // namespace multiwalk
