// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/time/step_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/base/error.hpp"

namespace multiwalk {

void require_finite_acceleration(double acceleration) {
  if (std::isfinite(acceleration)) return;
  throw Error("an acceleration is not finite: the run cannot continue; check masses, softening and step (time.eta)");
}

void require_moving_clock(bool moves) {
  require(
      moves,
      "the next step is too short to move the clock: set time.min_step, a larger softening or a longer longest step");
}

double largest_acceleration(const ParticleStore& particles, double background) {
  double largest2 = 0;
  bool finite = true;
#pragma omp parallel for schedule(static) reduction(max : largest2) reduction(&& : finite)
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const double here = norm2(peculiar_acceleration(particles, i, background));
    finite = finite && std::isfinite(here);
    largest2 = std::max(largest2, here);
  }
  const double largest = finite ? std::sqrt(largest2) : std::numeric_limits<double>::infinity();
  require_finite_acceleration(largest);
  return largest;
}

double step_scale(const Expansion& expansion, double a, double softening, const StepOptions& options) {
  // Physical softening a eps and peculiar acceleration g/a^2: dt^2 = 2 eta a^3 eps / g.
  return std::sqrt(2 * options.eta * a * a * a * softening) * expansion.hubble(a);
}

double step_scale(double softening, const StepOptions& options) {
  return std::sqrt(2 * options.eta * softening);
}

double next_expansion_factor(const Expansion& expansion, double a, double softening, double acceleration,
                             const StepOptions& options) {
  double dlna = options.max_dlna;
  if (acceleration > 0 && softening > 0) {
    dlna = std::min(dlna, step_scale(expansion, a, softening, options) / std::sqrt(acceleration));
  }
  const double next = a * std::exp(std::max(dlna, options.min_step));
  require_moving_clock(next > a);
  return next;
}

double next_time(double t, double softening, double acceleration, double crossing_time, const StepOptions& options) {
  double dt = crossing_time > 0 ? crossing_time / 100 : std::numeric_limits<double>::infinity();
  if (acceleration > 0 && softening > 0) dt = step_scale(softening, options) / std::sqrt(acceleration);
  if (options.max_dt > 0) dt = std::min(dt, options.max_dt);
  const double next = t + std::max(dt, options.min_step);
  require_moving_clock(next > t);
  return next;
}

}  // namespace multiwalk
