// SPDX-License-Identifier: GPL-3.0-or-later
// Transfer function of cold dark matter without baryon wiggles: Efstathiou, Bond & White (1992), equation 7.
#pragma once

#include <cmath>

namespace multiwalk {

/// T(k), k in h/Mpc; 1 on large scales. `gamma`: the shape parameter, omega_m h for few baryons.
inline double efstathiou_transfer(double gamma, double k) {
  constexpr double nu = 1.13;
  const double q = k / gamma;
  return std::pow(1 + std::pow(6.4 * q + std::pow(3.0 * q, 1.5) + 1.7 * q * 1.7 * q, nu), -1 / nu);
}

}  // namespace multiwalk
