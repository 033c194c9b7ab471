// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/time/leapfrog.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace multiwalk {

EquationOfMotion EquationOfMotion::newtonian() {
  return {};
}

EquationOfMotion EquationOfMotion::comoving(const Expansion& expansion, double background) {
  EquationOfMotion motion;
  motion.expansion_ = &expansion;
  motion.background_ = background;
  return motion;
}

double EquationOfMotion::kick_factor(double from, double to) const {
  return expansion_ != nullptr ? expansion_->kick_factor(from, to) : to - from;
}

double EquationOfMotion::drift_factor(double from, double to) const {
  return expansion_ != nullptr ? expansion_->drift_factor(from, to) : to - from;
}

namespace {

/// Particles that are kicked and then drifted while they are in the cache. Both in one loop are miscompiled by g++
/// 12.2: the last of an odd number of particles drifts with a velocity not yet rounded to single precision.
constexpr std::size_t block = 512;

/// Returns acceleration + background x.
Vec3d kick_one(ParticleStore& particles, std::size_t i, double factor, double background) {
  const Vec3d force = peculiar_acceleration(particles, i, background);
  particles.velocity[i] = kicked(particles.velocity[i], factor, force);
  return force;
}

void drift_one(ParticleStore& particles, std::size_t i, double factor) {
  particles.position[i] = drifted(particles.position[i], factor, particles.velocity[i]);
}

}  // namespace

double kick(ParticleStore& particles, std::size_t first, std::size_t last, double factor, double background) {
  double largest2 = 0;
  bool finite = true;
  for (std::size_t i = first; i < last; ++i) {
    const double here = norm2(kick_one(particles, i, factor, background));
    finite = finite && std::isfinite(here);
    largest2 = std::max(largest2, here);
  }
  return finite ? largest2 : std::numeric_limits<double>::infinity();
}

void drift(ParticleStore& particles, double factor) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < particles.size(); ++i) drift_one(particles, i, factor);
}

void kick_and_drift(ParticleStore& particles, double kick_factor, double background, double drift_factor) {
  const std::size_t blocks = (particles.size() + block - 1) / block;
#pragma omp parallel for schedule(static)
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t first = b * block, last = std::min(first + block, particles.size());
    for (std::size_t i = first; i < last; ++i) kick_one(particles, i, kick_factor, background);
    for (std::size_t i = first; i < last; ++i) drift_one(particles, i, drift_factor);
  }
}

}  // namespace multiwalk
