// SPDX-License-Identifier: GPL-3.0-or-later
// Hermite's scheme with one step for all bodies: fixed, or the shortest that Aarseth's criterion asks for.
#pragma once

#include "host/time/hermite_step.hpp"

namespace multiwalk {

/// An adaptive step can become shorter at any time, and at most doubles from one step to the next.
class HermiteShared : public DirectIntegrator {
 public:
  HermiteShared(const DirectOptions& options, Bodies bodies, DirectState state, DirectForces& forces);
  void step(double to) override;

 private:
  void first_steps() override;

  HermiteStep hermite_;
};

}  // namespace multiwalk
