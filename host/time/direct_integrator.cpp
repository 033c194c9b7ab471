// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/time/direct_integrator.hpp"

#include <cmath>
#include <utility>

#include "host/base/error.hpp"
#include "host/text/plain_number.hpp"
#include "host/time/hermite_blocks.hpp"
#include "host/time/hermite_shared.hpp"
#include "host/time/symplectic.hpp"
#include "host/time/whole_task.hpp"

namespace multiwalk {

void check_options(const DirectOptions& options) {
  const auto must = [](bool ok, const char* message) {
    if (!ok) throw InputError(message);
  };
  const bool fixed = options.steps == DirectSteps::fixed;
  must(fixed || options.scheme == DirectScheme::hermite, "time.steps must be \"fixed\" for this time.integrator");
  must(!fixed || (options.step > 0 && std::isfinite(options.step)), "time.max_dt must be positive with fixed steps");
  must(fixed || (options.eta > 0 && options.eta_start > 0), "time.eta and time.eta_start must be positive");
  must(options.max_step > 0, "time.max_dt must be positive");
  must(options.iterations >= 1, "time.iterations must be at least 1");
  must(options.softening >= 0, "force.softening must not be negative");
}

DirectIntegrator::DirectIntegrator(const DirectOptions& options, Bodies bodies, DirectState state, DirectForces& forces)
    : options_(options), bodies_(std::move(bodies)), state_(std::move(state)), forces_(forces) {}

void DirectIntegrator::start() {
  if (state_.started) return;
  DirectTask task = whole_task(options_, bodies_);
  task.acceleration = bodies_.acceleration;
  task.jerk = bodies_.jerk;
  task.potential = bodies_.potential;
  forces_.sum(task);
  state_.started = true;
  first_steps();
}

void DirectIntegrator::evaluate_potential() {
  require(synchronised(), "potentials of bodies at different times");
  multiwalk::evaluate_potential(options_, bodies_, forces_);
}

std::vector<Vec3d> DirectIntegrator::present_accelerations() {
  require(synchronised(), "accelerations were asked for while bodies are at different times");
  std::vector<Vec3d> accelerations(bodies_.size());
  DirectTask task = whole_task(options_, bodies_);
  task.source_velocity = task.target_velocity = {};
  task.acceleration = accelerations;
  forces_.sum(task);
  return accelerations;
}

void evaluate_potential(const DirectOptions& options, Bodies& bodies, DirectForces& forces) {
  DirectTask task = whole_task(options, bodies);
  task.source_velocity = task.target_velocity = {};
  task.potential = bodies.potential;
  forces.sum(task);
}

double DirectIntegrator::next_time(double to, double longest) const {
  require(to > state_.time, "a step must lead forward");
  const double remaining = to - state_.time;
  const double steps = std::ceil(remaining / longest * (1 - 1e-9));
  const double next = steps > 1 ? state_.time + remaining / steps : to;
  require(next > state_.time,
          "a step at time " + text_of(state_.time) +
              " is shorter than the clock can resolve: choose a larger softening, time.eta or time.max_dt");
  return next;
}

std::unique_ptr<DirectIntegrator> make_direct_integrator(const DirectOptions& options, Bodies bodies, DirectState state,
                                                         DirectForces& forces, BlockStepper* stepper) {
  check_options(options);
  if (options.scheme != DirectScheme::hermite) {
    return std::make_unique<SymplecticIntegrator>(options, std::move(bodies), std::move(state), forces);
  }
  if (options.steps == DirectSteps::block) {
    return std::make_unique<HermiteBlocks>(options, std::move(bodies), std::move(state), forces, stepper);
  }
  return std::make_unique<HermiteShared>(options, std::move(bodies), std::move(state), forces);
}

}  // namespace multiwalk
