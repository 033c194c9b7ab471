// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/time/hermite_shared.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "host/time/hermite.hpp"

namespace multiwalk {

HermiteShared::HermiteShared(const DirectOptions& options, Bodies bodies, DirectState state, DirectForces& forces)
    : DirectIntegrator(options, std::move(bodies), std::move(state), forces) {
  if (options_.steps == DirectSteps::fixed) state_.step = options_.step;
  state_.rung.assign(bodies_.size(), 0);
  hermite_.active.resize(bodies_.size());
  std::iota(hermite_.active.begin(), hermite_.active.end(), 0U);
}

void HermiteShared::first_steps() {
  if (options_.steps == DirectSteps::fixed) return;
  double step = options_.max_step;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const double potential = bodies_.potential[i];
    step = std::min({step, first_step(bodies_.acceleration[i], bodies_.jerk[i], potential, options_.eta_start),
                     fall_step(bodies_.acceleration[i], potential, options_.eta_start)});
  }
  state_.step = forces_.min(step);
}

void HermiteShared::step(double to) {
  start();
  const double before = std::exchange(state_.time, next_time(to, state_.step));
  const std::array<double, 1> dt{state_.time - before};
  hermite_.step(options_, state_.rung, dt, forces_, bodies_);
  if (options_.steps == DirectSteps::shared) {
    double wanted = std::min(options_.max_step, 2 * dt[0]);
    for (const double step : hermite_.wanted) wanted = std::min(wanted, step);
    state_.step = forces_.min(wanted);
  }
  ++counts_.steps;
  counts_.body_steps += bodies_.size();
}

}  // namespace multiwalk
