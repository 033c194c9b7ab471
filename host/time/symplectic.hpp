// SPDX-License-Identifier: GPL-3.0-or-later
// Symplectic integrators with fixed steps: T+V, with or without half kicks at its ends, and leapfrog.
#pragma once

#include "host/time/direct_integrator.hpp"

namespace multiwalk {

class SymplecticIntegrator : public DirectIntegrator {
 public:
  SymplecticIntegrator(const DirectOptions& options, Bodies bodies, DirectState state, DirectForces& forces);
  void step(double to) override;
  /// False between half kicks.
  [[nodiscard]] bool synchronised() const override { return !state_.half_kicked; }

 private:
  void kick(double dt);
  /// Also evaluates the forces there.
  void drift(double dt);
};

}  // namespace multiwalk
