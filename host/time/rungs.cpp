// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/time/rungs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/time/step_control.hpp"

namespace multiwalk {

double Block::at(double tick) const {
  if (tick <= 0) return from_;
  if (tick >= ticks) return to_;
  const double fraction = tick / ticks;
  return comoving_ ? from_ * std::pow(to_ / from_, fraction) : from_ + (to_ - from_) * fraction;
}

double Block::length() const {
  return comoving_ ? std::log(to_ / from_) : to_ - from_;
}

PerRung<std::uint64_t> assign_rungs(ParticleStore& particles, const RungCriterion& criterion, double background,
                                    int synchronised) {
  std::uint64_t count[rung_count]{};
  bool finite = true;
#pragma omp parallel for schedule(static) reduction(+ : count) reduction(&& : finite)
  for (std::size_t i = 0; i < particles.size(); ++i) {
    std::uint8_t& rung = particles.rung[i];
    if (rung >= synchronised) {
      const double acceleration = norm(peculiar_acceleration(particles, i, background));
      finite = finite && std::isfinite(acceleration);
      rung = static_cast<std::uint8_t>(std::max(criterion(acceleration), synchronised));
    }
    ++count[rung];
  }
  if (!finite) require_finite_acceleration(std::numeric_limits<double>::infinity());
  return std::to_array(count);
}

void kick_rungs(ParticleStore& particles, const PerRung<double>& factor, double background, int least) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < particles.size(); ++i) {
    if (particles.rung[i] < least) continue;
    const Vec3d pull = short_range_pull(peculiar_acceleration(particles, i, background), particles.long_range[i]);
    particles.velocity[i] = kicked(particles.velocity[i], factor[particles.rung[i]], pull);
  }
}

void kick_long_range(ParticleStore& particles, double factor) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < particles.size(); ++i) {
    particles.velocity[i] = kicked(particles.velocity[i], factor, widened(particles.long_range[i]));
  }
}

}  // namespace multiwalk
