// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/evolve/energy_warning.hpp"

#include <fmt/format.h>

namespace multiwalk {

std::string energy_warning(double error, double& worrying, const StepRecord& before, const char* scale,
                           const std::string& advice) {
  if (!(error > worrying)) return {};
  worrying = 3 * error;
  return fmt::format(
      "WARNING: the energy is off by {:.1e} of {}; at t = {:g} it was {:.1e}. Some steps were too long for "
      "the encounters of the bodies; choose {}",
      error, scale, before.time, before.energy_error, advice);
}

}  // namespace multiwalk
