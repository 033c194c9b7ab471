// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/time/symplectic.hpp"

#include <utility>

#include "host/threads/worth_threads.hpp"
#include "host/time/whole_task.hpp"

namespace multiwalk {

SymplecticIntegrator::SymplecticIntegrator(const DirectOptions& options, Bodies bodies, DirectState state,
                                           DirectForces& forces)
    : DirectIntegrator(options, std::move(bodies), std::move(state), forces) {
  if (!state_.half_kicked) state_.step = options_.step;
}

void SymplecticIntegrator::step(double to) {
  start();
  const double before = std::exchange(state_.time, next_time(to, options_.step));
  const double dt = state_.time - before;
  if (options_.scheme == DirectScheme::leapfrog) {
    kick(dt / 2);
    drift(dt);
    kick(dt / 2);
  } else {
    const bool half_kicks = options_.scheme == DirectScheme::tv_half_kicks;
    if (half_kicks) kick(state_.half_kicked ? (dt - state_.step) / 2 : dt / 2);
    drift(dt);
    kick(dt);
    state_.half_kicked = half_kicks && state_.time < to;
    if (half_kicks && !state_.half_kicked) kick(-dt / 2);
  }
  state_.step = dt;
  ++counts_.steps;
  counts_.body_steps += bodies_.size();
}

void SymplecticIntegrator::kick(double dt) {
#pragma omp parallel for schedule(static) if (bodies_.size() >= worth_threads)
  for (std::size_t i = 0; i < bodies_.size(); ++i) bodies_.velocity[i] += dt * bodies_.acceleration[i];
}

void SymplecticIntegrator::drift(double dt) {
#pragma omp parallel for schedule(static) if (bodies_.size() >= worth_threads)
  for (std::size_t i = 0; i < bodies_.size(); ++i) bodies_.position[i] += dt * bodies_.velocity[i];
  DirectTask task = whole_task(options_, bodies_);
  task.source_velocity = task.target_velocity = {};
  task.acceleration = bodies_.acceleration;
  task.potential = bodies_.potential;
  forces_.sum(task);
}

}  // namespace multiwalk
