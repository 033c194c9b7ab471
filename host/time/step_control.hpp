// SPDX-License-Identifier: GPL-3.0-or-later
// Global adaptive step from the largest acceleration (Power et al. 2003).
#pragma once

#include "host/cosmology/expansion.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

struct StepOptions {
  double eta = 0.025;      ///< dt = sqrt(2 eta eps / |g|), eps and g physical
  double max_dlna = 0.05;  ///< comoving
  double max_dt = 0;       ///< Newtonian; 0: none
  double min_step = 0;     ///< shortest step: ln a (comoving) or time; 0: none
};

/// An acceleration g, in the coordinates of the particles, allows a step of this value / sqrt(g): in ln a at expansion
/// factor a (g and `softening` comoving), or in the time of an isolated system. 0 without softening: nothing limits the
/// step.
double step_scale(const Expansion& expansion, double a, double softening, const StepOptions& options);
double step_scale(double softening, const StepOptions& options);

/// Throws Error, with advice for the user, if an acceleration is not finite.
void require_finite_acceleration(double acceleration);

/// Throws Error, with advice for the user, unless the step that comes next ends later than it begins.
void require_moving_clock(bool moves);

/// Largest |acceleration + background x|. Throws Error if one is not finite.
double largest_acceleration(const ParticleStore& particles, double background);

/// Next expansion factor, larger than `a` (otherwise Error). `softening`: comoving; `acceleration`: the largest
/// peculiar one, comoving (a^2 times the physical).
double next_expansion_factor(const Expansion& expansion, double a, double softening, double acceleration,
                             const StepOptions& options);

/// Next time of an isolated run, infinite if nothing limits the step; a hundredth of `crossing_time` if softening or
/// acceleration is zero.
double next_time(double t, double softening, double acceleration, double crossing_time, const StepOptions& options);

}  // namespace multiwalk
