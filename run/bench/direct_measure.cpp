// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/bench/direct_measure.hpp"

#include <algorithm>
#include <limits>

#include "host/base/phase_timer.hpp"

namespace multiwalk {

DirectTask direct_task(const Bodies& bodies, double softening, bool jerk) {
  DirectTask task;
  task.source_position = task.target_position = bodies.position;
  task.source_mass = task.target_mass = bodies.mass;
  if (jerk) task.source_velocity = task.target_velocity = bodies.velocity;
  task.softening2 = softening * softening;
  return task;
}

DirectTruth::DirectTruth(const Bodies& bodies, double softening, bool jerk, std::uint64_t sample)
    : index_(std::min<std::size_t>(sample, bodies.size())), exact_(index_.size(), jerk) {
  Bodies targets;
  targets.resize(index_.size());
  for (std::size_t i = 0; i < index_.size(); ++i) {
    index_[i] = i * bodies.size() / index_.size();
    targets.position[i] = bodies.position[index_[i]];
    targets.velocity[i] = bodies.velocity[index_[i]];
    targets.mass[i] = bodies.mass[index_[i]];
  }
  DirectTask task = direct_task(bodies, softening, jerk);
  task.target_position = targets.position;
  task.target_mass = targets.mass;
  if (jerk) task.target_velocity = targets.velocity;
  exact_.ask(task);
  make_scalar_direct_backend()->sum(task);
}

std::vector<double> DirectTruth::errors(const std::vector<Vec3d>& measured, const std::vector<Vec3d>& exact) const {
  std::vector<double> error(index_.size());
  for (std::size_t i = 0; i < error.size(); ++i) error[i] = norm(measured[index_[i]] - exact[i]) / norm(exact[i]);
  std::ranges::sort(error);
  return error;
}

SumSeconds time_sums(DirectBackend& backend, const DirectTask& task, int repeats, double patience, int in_a_row) {
  SumSeconds best{std::numeric_limits<double>::infinity(), {}, {}};
  double spent = 0;
  for (int repeat = 0; repeat < repeats && (repeat == 0 || spent < patience); ++repeat) {
    const double began = wall_time();
    backend.sum(task);
    const double seconds = wall_time() - began;
    spent += seconds;
    best.call = std::min(best.call, seconds);
    const double kernel = backend.kernel_seconds();
    if (kernel > 0) best.kernel = std::min(best.kernel.value_or(kernel), kernel);
  }
  best.launch = best.kernel;
  if (in_a_row > 1 && best.kernel) {
    backend.evaluate_in_a_row(in_a_row);
    best.kernel = time_sums(backend, task, repeats, patience).kernel;
    backend.evaluate_in_a_row(1);
  }
  return best;
}

}  // namespace multiwalk
