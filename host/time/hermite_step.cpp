// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/time/hermite_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "host/base/error.hpp"
#include "host/threads/worth_threads.hpp"
#include "host/time/hermite.hpp"
#include "host/time/whole_task.hpp"

namespace multiwalk {

namespace {

HermiteState state_of(const Bodies& bodies, std::size_t i) {
  return {bodies.position[i], bodies.velocity[i], bodies.acceleration[i], bodies.jerk[i]};
}

/// Like predict() of hermite.hpp, but coordinate by coordinate, which the compiler can vectorise.
struct StateValues {
  const double *x, *v, *a, *j;
};
void predict_values(std::size_t n, const StateValues& from, const double* dt, double* predicted_x,
                    double* predicted_v) {
  const auto [x, v, a, j] = from;
  for (std::size_t k = 0; k < n; ++k) {
    const double half = dt[k] / 2, third = dt[k] * (1.0 / 3);
    predicted_x[k] = x[k] + dt[k] * (v[k] + half * (a[k] + third * j[k]));
    predicted_v[k] = v[k] + dt[k] * (a[k] + half * j[k]);
  }
}

double* values(std::vector<Vec3d>& vectors, std::size_t i) {
  return reinterpret_cast<double*>(vectors.data() + i);
}
const double* values(const std::vector<Vec3d>& vectors, std::size_t i) {
  return reinterpret_cast<const double*>(vectors.data() + i);
}

}  // namespace

void HermiteStep::step(const DirectOptions& options, std::span<const std::uint8_t> rung,
                       std::span<const double> elapsed, DirectForces& forces, Bodies& bodies) {
  predict_all(bodies, rung, elapsed);
  evaluate(options, bodies, forces);
  for (int n = 1; n < options.iterations; ++n) {
    correct_predictions(bodies, rung, elapsed);
    evaluate(options, bodies, forces);
  }
  wanted.resize(active.size());
  bool finite = true;
#pragma omp parallel for schedule(static) reduction(&& : finite) if (active.size() >= worth_threads)
  for (std::size_t k = 0; k < active.size(); ++k) {
    const std::size_t i = active[k];
    const HermiteState from = state_of(bodies, i);
    const double dt = elapsed[rung[i]];
    const HermiteState to = correct(from, acceleration_[k], jerk_[k], dt);
    finite = finite && std::isfinite(norm2(to.position) + norm2(to.acceleration) + norm2(to.jerk));
    wanted[k] = aarseth_step(from, to.acceleration, to.jerk, dt, options.eta);
    bodies.position[i] = to.position;
    bodies.velocity[i] = to.velocity;
    bodies.acceleration[i] = to.acceleration;
    bodies.jerk[i] = to.jerk;
    bodies.potential[i] = potential_[k];
  }
  require(finite,
          "a force or a position is not finite: bodies may be at one position without softening, or steps be too "
          "short or too long");
}

void HermiteStep::predict_all(const Bodies& bodies, std::span<const std::uint8_t> rung,
                              std::span<const double> elapsed) {
  constexpr std::size_t bodies_at_once = 128;
  const std::size_t n = bodies.size();
  position_.resize(n);
  velocity_.resize(n);
#pragma omp parallel for schedule(static) if (n >= worth_threads)
  for (std::size_t first = 0; first < n; first += bodies_at_once) {
    const std::size_t count = std::min(bodies_at_once, n - first);
    std::array<double, 3 * bodies_at_once> dt;
    for (std::size_t k = 0; k < count; ++k) dt[3 * k] = dt[3 * k + 1] = dt[3 * k + 2] = elapsed[rung[first + k]];
    const StateValues from{values(bodies.position, first), values(bodies.velocity, first),
                           values(bodies.acceleration, first), values(bodies.jerk, first)};
    predict_values(3 * count, from, dt.data(), values(position_, first), values(velocity_, first));
  }
}

void HermiteStep::evaluate(const DirectOptions& options, const Bodies& bodies, DirectForces& forces) {
  DirectTask task = whole_task(options, bodies);
  task.source_position = task.target_position = position_;
  task.source_velocity = task.target_velocity = velocity_;
  if (active.size() < bodies.size()) {
    gather_targets(bodies);
    task.target_position = target_position_;
    task.target_velocity = target_velocity_;
    task.target_mass = target_mass_;
  }
  for (auto* vectors : {&acceleration_, &jerk_}) vectors->resize(active.size());
  potential_.resize(active.size());
  task.acceleration = acceleration_;
  task.jerk = jerk_;
  task.potential = potential_;
  forces.sum(task);
}

void HermiteStep::gather_targets(const Bodies& bodies) {
  for (auto* vectors : {&target_position_, &target_velocity_}) vectors->resize(active.size());
  target_mass_.resize(active.size());
  for (std::size_t k = 0; k < active.size(); ++k) {
    const std::size_t i = active[k];
    target_position_[k] = position_[i];
    target_velocity_[k] = velocity_[i];
    target_mass_[k] = bodies.mass[i];
  }
}

void HermiteStep::correct_predictions(const Bodies& bodies, std::span<const std::uint8_t> rung,
                                      std::span<const double> elapsed) {
#pragma omp parallel for schedule(static) if (active.size() >= worth_threads)
  for (std::size_t k = 0; k < active.size(); ++k) {
    const std::size_t i = active[k];
    const HermiteState to = correct(state_of(bodies, i), acceleration_[k], jerk_[k], elapsed[rung[i]]);
    position_[i] = to.position;
    velocity_[i] = to.velocity;
  }
}

}  // namespace multiwalk
