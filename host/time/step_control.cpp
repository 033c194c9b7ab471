#include "host/time/step_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace multiwalk {

double largest_acceleration(const ParticleStore& particles, double background) {
  double largest2 = 0;
#pragma omp parallel for schedule(static) reduction(max : largest2)
  for (std::size_t i = 0; i < particles.size(); ++i) {
    largest2 = std::max(largest2, norm2(Vec3d(particles.acceleration[i]) + background * particles.position[i]));
  }
  return std::sqrt(largest2);
}

double next_expansion_factor(const Expansion& expansion, double a, double softening, double acceleration,
                             const StepOptions& options) {
  double dlna = options.max_dlna;
  if (acceleration > 0 && softening > 0) {
    // Physical softening a eps and peculiar acceleration g/a^2: dt^2 = 2 eta a^3 eps / g.
    const double dt = std::sqrt(2 * options.eta * a * a * a * softening / acceleration);
    dlna = std::min(dlna, dt * expansion.hubble(a));
  }
  return a * std::exp(std::max(dlna, options.min_step));
}

double next_time(double t, double softening, double acceleration, double crossing_time, const StepOptions& options) {
  double dt = crossing_time > 0 ? crossing_time / 100 : std::numeric_limits<double>::infinity();
  if (acceleration > 0 && softening > 0) dt = std::sqrt(2 * options.eta * softening / acceleration);
  if (options.max_dt > 0) dt = std::min(dt, options.max_dt);
  return t + std::max(dt, options.min_step);
}

}  // namespace multiwalk
