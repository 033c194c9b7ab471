// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/evolve/energy_warning.hpp"

#include <fmt/format.h>

namespace multiwalk {

std::string energy_warning(double error, double worrying, std::span<const double> before, double time,
                           const std::string& advice) {
  if (before.empty() || error <= worrying) return {};
  double warned = worrying;
  for (const double past : before) {
    if (past > warned) warned = 3 * past;
  }
  if (error <= warned) return {};
  return fmt::format(
      "WARNING: the energy is off by {:.1e} of its first value, at t = {:g} still by {:.1e}: some steps were too long "
      "for what the bodies met; choose {}",
      error, time, before.back(), advice);
}

}  // namespace multiwalk
