#include "run/energy_warning.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace multiwalk {

std::string energy_warning(double error, double worrying, std::span<const double> before, double time,
                           const std::string& advice) {
  if (before.empty() || error <= std::max(worrying, 3 * std::ranges::max(before))) return {};
  return fmt::format(
      "WARNING: the energy is off by {:.1e} of its first value, at t = {:g} still by {:.1e}: some steps were too long "
      "for what the bodies met; choose {}",
      error, time, before.back(), advice);
}

}  // namespace multiwalk
