// SPDX-License-Identifier: GPL-3.0-or-later
// Transfer function of matter without baryon wiggles: Eisenstein & Hu (1998), section 4.2.
#pragma once

#include <cmath>
#include <numbers>

#include "host/cosmology/expansion.hpp"

namespace multiwalk {

/// T(k) of total matter, k in h/Mpc; 1 on large scales. Baryons suppress small scales, their oscillations are left out.
inline double eisenstein_hu_smooth_transfer(const CosmologyParameters& cosmology, double k) {
  const double h = cosmology.h, fraction = cosmology.omega_b / cosmology.omega_m;
  const double m = cosmology.omega_m * h * h, b = cosmology.omega_b * h * h;
  const double theta2 = cosmology.t_cmb / 2.7 * cosmology.t_cmb / 2.7;
  const double sound_horizon = 44.5 * std::log(9.83 / m) / std::sqrt(1 + 10 * std::pow(b, 0.75));  // (26), Mpc
  const double alpha =
      1 - 0.328 * std::log(431 * m) * fraction + 0.38 * std::log(22.3 * m) * fraction * fraction;  // (31)
  const double gamma =
      cosmology.omega_m * h * (alpha + (1 - alpha) / (1 + std::pow(0.43 * k * h * sound_horizon, 4)));  // (30)
  const double q = k * theta2 / gamma;                                                                  // (28)
  const double l = std::log(2 * std::numbers::e + 1.8 * q), c = 14.2 + 731 / (1 + 62.5 * q);            // (29)
  return l / (l + c * q * q);
}

}  // namespace multiwalk
