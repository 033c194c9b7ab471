// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates the steps of a run: of a cosmological one from the halos to be expected for its linear power, of an
// isolated one from the accelerations at its start.
#pragma once

#include "host/particles/particle_system.hpp"
#include "run/evolve/simulation.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

struct ExpectedSteps {
  double steps = 0;        ///< of all particles, or blocks
  double evaluations = 0;  ///< of the forces on a particle: as many as steps of all particles together
  bool limited = false;    ///< they are time.max_steps
};

/// Estimates the steps of a comoving run in a periodic box, or in a sphere cut from one. `system` is a sample of it: it
/// may have fewer particles, at the same spacing. `softening`: comoving, before its physical cap.
ExpectedSteps expected_cosmic_steps(const Parameters& parameters, const ParticleSystem& system, double softening);

/// Estimates the steps of an isolated run, assuming that all are as long as the first. `started` has computed its first
/// forces and takes global steps.
ExpectedSteps expected_newtonian_steps(const Parameters& parameters, const Simulation& started);

}  // namespace multiwalk
