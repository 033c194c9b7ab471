// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/motion/particle_view.hpp"

#include "host/motion/particles.hpp"

namespace multiwalk {

ParticleView::ParticleView(const Particles& particles) : system_(&particles.system_), particles_(&particles) {}

bool ParticleView::on_device() const {
  return particles_ != nullptr && particles_->on_device();
}

const ParticleSystem& ParticleView::on_host() const {
  return particles_ != nullptr ? particles_->on_host() : *system_;
}

const ParticleSystem& ParticleView::motion_on_host() const {
  return particles_ != nullptr ? particles_->motion_on_host() : *system_;
}

std::optional<ShellSums> ParticleView::sum_shells(const ShellOptions& options, TreeExchange* others) const {
  return particles_ != nullptr ? particles_->sum_shells(options, others) : std::nullopt;
}

}  // namespace multiwalk
