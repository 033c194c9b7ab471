// SPDX-License-Identifier: GPL-3.0-or-later
// Command-line options that name forces; shared by bench and accuracy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/tree/gravity_options.hpp"
#include "run/evolve/box_forces.hpp"
#include "run/parameters/parameters.hpp"

namespace CLI {
class App;
}

namespace multiwalk {

struct ForceArguments {
  GravityOptions force = Parameters().force;  ///< without the following, which decide on the criterion
  std::optional<Mac> mac;                     ///< none: default_mac()
  std::optional<double> alpha, theta;         ///< none: not given
  BoxForceParameters box;
  std::string backend = "auto";
  WhoWalks walks = WhoWalks::automatic;
  std::vector<int> devices;
  int threads = 0;
  std::uint64_t sample = 1000;
  std::uint64_t least_sample = 1;  ///< 0: errors may be left out
  std::uint64_t seed = 1;
  std::string json;

  /// Adds all options but theta, which resolve() takes as it finds it. The values of `force` and `box` are the
  /// defaults.
  void add_to(CLI::App& command);
  /// `force` with its criterion, as a run would have it.
  [[nodiscard]] GravityOptions resolve() const {
    GravityOptions resolved = force;
    resolved.mac = mac.value_or(default_mac(theta.has_value(), alpha.has_value()));
    resolved.alpha = alpha.value_or(force.alpha);
    resolved.theta = theta.value_or(force.theta);
    return resolved;
  }
};

}  // namespace multiwalk
