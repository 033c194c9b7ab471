#include "host/time/leapfrog.hpp"

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

void kick(ParticleStore& particles, double factor, double background) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Vec3d force = peculiar_acceleration(particles, i, background);
    particles.velocity[i] = Vec3f(Vec3d(particles.velocity[i]) + factor * force);
  }
}

void drift(ParticleStore& particles, double factor) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < particles.size(); ++i) {
    particles.position[i] += factor * Vec3d(particles.velocity[i]);
  }
}

}  // namespace multiwalk
