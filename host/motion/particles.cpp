// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/motion/particles.hpp"

#include <cmath>
#include <utility>
#include <variant>

#include "host/time/leapfrog.hpp"
#include "host/time/step_control.hpp"

namespace multiwalk {

namespace {

struct MotionOnHost {
  ParticleStore& particles;

  void operator()(const KickAndDrift& by) const { kick_and_drift(particles, by.kick, by.background, by.drift); }
  void operator()(const DriftAlone& by) const { drift(particles, by.factor); }
  void operator()(const WrapIntoBox& into) const { wrap(particles, into.side); }
  void operator()(const KickRungs& by) const { kick_rungs(particles, by.factor, by.background, by.least); }
  void operator()(const KickLongRange& by) const { kick_long_range(particles, by.factor); }
};

}  // namespace

Particles::~Particles() {
  if (ParticleKeeper* const kept = keeper()) kept->forget();
}

ParticleKeeper* Particles::keeper() const {
  ParticleKeeper* const keeper = backend_.particle_keeper();
  return keeper != nullptr && keeper->keeps(system_.particles) ? keeper : nullptr;
}

const ParticleSystem& Particles::on_host() const {
  if (ParticleKeeper* const kept = keeper()) kept->copy_home(Copied::all);
  return system_;
}

const ParticleSystem& Particles::motion_on_host() const {
  if (ParticleKeeper* const kept = keeper()) kept->copy_home(Copied::motion);
  return system_;
}

bool Particles::stay_on_device() {
  ParticleKeeper* const keeper = backend_.particle_keeper();
  return keeper != nullptr && keeper->keep(system_.particles);
}

ParticleStore& Particles::come_home() {
  if (ParticleKeeper* const kept = keeper()) {
    kept->copy_home(Copied::all);
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

void Particles::move(const Motion& motion) {
  if (ParticleKeeper* const kept = keeper()) return kept->move(motion);
  std::visit(MotionOnHost{system_.particles}, motion);
}

PerRung<std::uint64_t> Particles::assign_rungs(const RungCriterion& criterion, double background, int synchronised) {
  if (ParticleKeeper* const kept = keeper()) return kept->assign_rungs(criterion, background, synchronised);
  return multiwalk::assign_rungs(system_.particles, criterion, background, synchronised);
}

double Particles::largest_pull(double background) const {
  if (ParticleKeeper* const kept = keeper()) return std::sqrt(kept->kick_and_sum(0, background).largest_pull2);
  return largest_acceleration(system_.particles, background);
}

std::optional<KickSums> Particles::kick_and_sum_on_device(double factor, double background) {
  ParticleKeeper* const kept = keeper();
  return kept != nullptr ? std::optional(kept->kick_and_sum(factor, background)) : std::nullopt;
}

std::optional<ShellSums> Particles::sum_shells(const ShellOptions& options, TreeExchange* others) const {
  ParticleKeeper* const kept = keeper();
  return kept != nullptr ? kept->sum_shells(system_.box_size, options, others) : std::nullopt;
}

std::shared_ptr<const PassingParticles> Particles::find_passing(const Passage& passage) const {
  ParticleKeeper* const kept = keeper();
  return kept != nullptr ? kept->find_passing(passage) : nullptr;
}

SkyCounter* Particles::sky_counter() const {
  return on_device() ? backend_.sky_counter() : nullptr;
}

}  // namespace multiwalk
