// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/motion/particles.hpp"

#include <cmath>
#include <utility>

#include "host/time/leapfrog.hpp"
#include "host/time/step_control.hpp"

namespace multiwalk {

Particles::~Particles() {
  if (ParticleKeeper* const kept = keeper()) kept->forget();
}

ParticleKeeper* Particles::keeper() const {
  ParticleKeeper* const keeper = backend_.particle_keeper();
  return keeper != nullptr && keeper->keeps(system_.particles) ? keeper : nullptr;
}

bool Particles::stay_on_device() {
  ParticleKeeper* const keeper = backend_.particle_keeper();
  return keeper != nullptr && keeper->keep(system_.particles);
}

ParticleStore& Particles::come_home() {
  if (ParticleKeeper* const kept = keeper()) {
    kept->copy_home();
    kept->forget();
  }
  return system_.particles;
}

void Particles::replace(ParticleSystem system) {
  if (ParticleKeeper* const kept = keeper()) kept->forget();
  system_ = std::move(system);
}

ParticleSystem Particles::release() {
  come_home();
  return std::exchange(system_, {});
}

void Particles::kick_and_drift(double kick_factor, double background, double drift_factor) {
  if (ParticleKeeper* const kept = keeper()) return kept->kick_and_drift(kick_factor, background, drift_factor);
  multiwalk::kick_and_drift(system_.particles, kick_factor, background, drift_factor);
}

void Particles::drift(double factor) {
  if (ParticleKeeper* const kept = keeper()) return kept->drift(factor);
  multiwalk::drift(system_.particles, factor);
}

void Particles::wrap(double side) {
  if (ParticleKeeper* const kept = keeper()) return kept->wrap(side);
  multiwalk::wrap(system_.particles, side);
}

PerRung<std::uint64_t> Particles::assign_rungs(const RungCriterion& criterion, double background, int synchronised) {
  if (ParticleKeeper* const kept = keeper()) return kept->assign_rungs(criterion, background, synchronised);
  return multiwalk::assign_rungs(system_.particles, criterion, background, synchronised);
}

void Particles::kick_rungs(const PerRung<double>& factor, double background, int least) {
  if (ParticleKeeper* const kept = keeper()) return kept->kick_rungs(factor, background, least);
  multiwalk::kick_rungs(system_.particles, factor, background, least);
}

void Particles::kick_long_range(double factor) {
  if (ParticleKeeper* const kept = keeper()) return kept->kick_long_range(factor);
  multiwalk::kick_long_range(system_.particles, factor);
}

double Particles::largest_pull(double background) const {
  if (ParticleKeeper* const kept = keeper()) return std::sqrt(kept->kick_and_sum(0, background).largest_pull2);
  return largest_acceleration(system_.particles, background);
}

std::optional<KickSums> Particles::kick_and_sum_on_device(double factor, double background) {
  ParticleKeeper* const kept = keeper();
  return kept != nullptr ? std::optional(kept->kick_and_sum(factor, background)) : std::nullopt;
}

std::shared_ptr<const PassingParticles> Particles::find_passing(const Passage& passage) const {
  ParticleKeeper* const kept = keeper();
  return kept != nullptr ? kept->find_passing(passage) : nullptr;
}

SkyCounter* Particles::sky_counter() const {
  ParticleKeeper* const kept = keeper();
  return kept != nullptr ? kept->sky_counter() : nullptr;
}

}  // namespace multiwalk
