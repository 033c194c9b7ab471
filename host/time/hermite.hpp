// SPDX-License-Identifier: GPL-3.0-or-later
// Hermite's fourth-order scheme of Makino & Aarseth (1992, PASJ 44, 141): formulas for one body.
#pragma once

#include <algorithm>
#include <cmath>

#include "host/base/host_device.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// Position, velocity and their derivatives at one time.
struct HermiteState {
  Vec3d position, velocity, acceleration, jerk;
};

/// Taylor series over dt; acceleration and jerk stay the same.
MULTIWALK_HOST_DEVICE HermiteState predict(const HermiteState& from, double dt) {
  const double half = dt / 2, third = dt / 3;
  return {from.position + dt * (from.velocity + half * (from.acceleration + third * from.jerk)),
          from.velocity + dt * (from.acceleration + half * from.jerk), from.acceleration, from.jerk};
}

/// Second and third derivatives of the acceleration at the beginning of the step that ends with `to` (eq. 5 and 6).
struct HermiteDerivatives {
  Vec3d snap, crackle;
};
MULTIWALK_HOST_DEVICE HermiteDerivatives hermite_derivatives(const HermiteState& from, const Vec3d& acceleration,
                                                             const Vec3d& jerk, double dt) {
  const Vec3d difference = from.acceleration - acceleration;
  const double i = 1 / dt;
  return {(i * i) * (-6.0 * difference - dt * (4.0 * from.jerk + 2.0 * jerk)),
          (i * i * i) * (12.0 * difference + (6 * dt) * (from.jerk + jerk))};
}

/// The prediction corrected by these derivatives (eq. 7), with the given acceleration and jerk.
MULTIWALK_HOST_DEVICE HermiteState correct(const HermiteState& from, const Vec3d& acceleration, const Vec3d& jerk,
                                           double dt) {
  const HermiteDerivatives d = hermite_derivatives(from, acceleration, jerk, dt);
  const HermiteState predicted = predict(from, dt);
  const double cube = dt * dt * dt / 6;
  return {predicted.position + (cube * dt / 4) * (d.snap + (dt / 5) * d.crackle),
          predicted.velocity + cube * (d.snap + (dt / 4) * d.crackle), acceleration, jerk};
}

/// Aarseth's criterion (1985), at the end of the step; infinite if nothing changes.
MULTIWALK_HOST_DEVICE double aarseth_step(const HermiteState& from, const Vec3d& acceleration, const Vec3d& jerk,
                                          double dt, double eta) {
  const HermiteDerivatives d = hermite_derivatives(from, acceleration, jerk, dt);
  const double a = norm(acceleration), j = norm(jerk), s = norm(d.snap + dt * d.crackle), c = norm(d.crackle);
  const double above = a * s + j * j, below = j * c + s * s;
  return below > 0 ? std::sqrt(eta * above / below) : INFINITY;
}

/// Used when only acceleration, jerk and potential are known: eta |a|/|j|, and where forces balance (a ~ 0) at least a
/// hundredth of eta sqrt(sqrt|potential|/|j|), the time in which the jerk produces the velocity of a fall from rest at
/// infinity. Infinite without a jerk.
inline double first_step(const Vec3d& acceleration, const Vec3d& jerk, double potential, double eta) {
  const double j = norm(jerk);
  if (!(j > 0)) return INFINITY;
  return eta * std::max(norm(acceleration) / j, 0.01 * std::sqrt(std::sqrt(std::fabs(potential)) / j));
}

/// For bodies at rest, which have no jerk: eta sqrt|potential|/|acceleration|, with the time in which the acceleration
/// produces the velocity of a fall from infinity (for two bodies r apart, sqrt(r^3/m)). Infinite without an
/// acceleration.
inline double fall_step(const Vec3d& acceleration, double potential, double eta) {
  const double a = norm(acceleration);
  return a > 0 ? eta * std::sqrt(std::fabs(potential)) / a : INFINITY;
}

}  // namespace multiwalk
