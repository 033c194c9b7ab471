// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a run before it is made: of cosmological ones from the halos that the linear power lets expect, of
// isolated ones from the accelerations at their start.
#pragma once

#include <cstdint>

#include "host/particles/particle_system.hpp"
#include "run/evolve/simulation.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

struct ExpectedSteps {
  double steps = 0;        ///< of all particles, or blocks
  double evaluations = 0;  ///< of the forces on a particle: as many as steps of all particles together
  bool limited = false;    ///< they are time.max_steps
};

/// Of a comoving run of `system`, which may have fewer particles at the same spacing than `particles` in a periodic box
/// or a sphere cut from one. `softening`: comoving, before its physical cap.
ExpectedSteps expected_cosmic_steps(const Parameters& parameters, const ParticleSystem& system, double softening,
                                    std::uint64_t particles);

/// Of an isolated run, whose steps or blocks are all like the first. `started`: with first forces, its steps global.
ExpectedSteps expected_newtonian_steps(const Parameters& parameters, const Simulation& started);

}  // namespace multiwalk
