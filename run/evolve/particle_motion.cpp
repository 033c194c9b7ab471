// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/evolve/particle_motion.hpp"

#include "host/time/leapfrog.hpp"

namespace multiwalk {

ParticleMotion::~ParticleMotion() {
  if (ParticleKeeper* const kept = keeper()) kept->forget();
}

void ParticleMotion::leave_to_keeper() {
  if (ParticleKeeper* const keeper = backend_.particle_keeper()) keeper->keep(store_);
}

ParticleKeeper* ParticleMotion::keeper() const {
  ParticleKeeper* const keeper = backend_.particle_keeper();
  return keeper != nullptr && keeper->keeps(store_) ? keeper : nullptr;
}

void ParticleMotion::bring_store_up_to_date() const {
  if (ParticleKeeper* const kept = keeper()) kept->copy_home();
}

void ParticleMotion::bring_motion_up_to_date() const {
  if (ParticleKeeper* const kept = keeper()) kept->copy_motion_home();
}

void ParticleMotion::bring_home() {
  ParticleKeeper* const kept = keeper();
  if (kept == nullptr) return;
  kept->copy_home();
  kept->forget();
}

void ParticleMotion::kick_and_drift(double kick_factor, double background, double drift_factor) {
  if (ParticleKeeper* const kept = keeper()) return kept->kick_and_drift(kick_factor, background, drift_factor);
  multiwalk::kick_and_drift(store_, kick_factor, background, drift_factor);
}

void ParticleMotion::drift(double factor) {
  if (ParticleKeeper* const kept = keeper()) return kept->drift(factor);
  multiwalk::drift(store_, factor);
}

void ParticleMotion::wrap(double side) {
  if (ParticleKeeper* const kept = keeper()) return kept->wrap(side);
  multiwalk::wrap(store_, side);
}

PerRung<std::uint64_t> ParticleMotion::assign_rungs(const RungCriterion& criterion, double background,
                                                    int synchronised) {
  if (ParticleKeeper* const kept = keeper()) return kept->assign_rungs(criterion, background, synchronised);
  return multiwalk::assign_rungs(store_, criterion, background, synchronised);
}

void ParticleMotion::kick_rungs(const PerRung<double>& factor, double background, int least) {
  if (ParticleKeeper* const kept = keeper()) return kept->kick_rungs(factor, background, least);
  multiwalk::kick_rungs(store_, factor, background, least);
}

void ParticleMotion::kick_long_range(double factor) {
  if (ParticleKeeper* const kept = keeper()) return kept->kick_long_range(factor);
  multiwalk::kick_long_range(store_, factor);
}

}  // namespace multiwalk
