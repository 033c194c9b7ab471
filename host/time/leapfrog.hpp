// SPDX-License-Identifier: GPL-3.0-or-later
// Kick-drift-kick leapfrog: comoving with canonical momenta p = a^2 dx/dt (Quinn et al. 1997), or Newtonian.
#pragma once

#include <span>

#include "host/cosmology/expansion.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// How positions and momenta advance between two times. Comoving: dp/dt = (g + B x)/a, dx/dt = p/a^2, where g is the
/// sum over particles in comoving coordinates. A sphere in a vacuum has no mean density to subtract, so B = 1/2 Omega_m
/// H0^2 about its centre (the origin) cancels the attraction of its own smooth part. Newtonian: dp/dt = g, dx/dt = p, B
/// = 0.
class EquationOfMotion {
 public:
  static EquationOfMotion newtonian();
  /// `background`: B; 0 for a periodic box.
  static EquationOfMotion comoving(const Expansion& expansion, double background);

  [[nodiscard]] double background() const { return background_; }
  [[nodiscard]] bool is_comoving() const { return expansion_ != nullptr; }
  [[nodiscard]] double kick_factor(double from, double to) const;
  [[nodiscard]] double drift_factor(double from, double to) const;

 private:
  const Expansion* expansion_ = nullptr;
  double background_ = 0;
};

/// velocity += factor (acceleration + background x) for particles first...last - 1, in one thread. Returns their
/// largest |acceleration + background x|^2, infinite if one is not finite.
double kick(ParticleStore& particles, std::size_t first, std::size_t last, double factor, double background);

/// position += factor velocity.
void drift(ParticleStore& particles, double factor);

/// kick(), then drift(), with the same bits, in one pass over the particles.
void kick_and_drift(ParticleStore& particles, double kick_factor, double background, double drift_factor);

}  // namespace multiwalk
