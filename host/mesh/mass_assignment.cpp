// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/mesh/mass_assignment.hpp"

#include <cmath>
#include <numbers>

namespace multiwalk {

double assignment_window(Assignment assignment, double n, double cells) {
  const double phase = std::numbers::pi * n / cells;
  return phase == 0 ? 1 : std::pow(std::sin(phase) / phase, static_cast<int>(assignment));
}

}  // namespace multiwalk
