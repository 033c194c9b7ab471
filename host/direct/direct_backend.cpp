// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/direct/direct_backend.hpp"

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

/// `there`: the length of the array; `wanted`: the length needed, or 0 if the array may be missing.
void check_length(std::string_view what, std::size_t there, std::size_t wanted, bool optional) {
  if (there == wanted || (optional && there == 0)) return;
  throw Error("direct summation: " + std::string(what) + " has " + std::to_string(there) + " entries instead of " +
              std::to_string(wanted));
}

}  // namespace

DirectTask DirectCouple::one_way() const {
  DirectTask task;
  task.source_position = second.position;
  task.source_velocity = second.velocity;
  task.source_mass = second.mass;
  task.target_position = first.position;
  task.target_velocity = first.velocity;
  task.softening2 = softening2;
  task.precision = precision;
  task.acceleration = first.acceleration;
  task.jerk = first.jerk;
  task.potential = first.potential;
  return task;
}

void DirectBackend::sum_both(const DirectCouple& couple) {
  sum(couple.one_way());
  sum(couple.swapped().one_way());
}

std::function<void()> DirectBackend::begin_sum(const DirectTask& task) {
  sum(task);
  return [] {};
}

std::function<void()> DirectBackend::begin_sum_both(const DirectCouple& couple) {
  sum_both(couple);
  return [] {};
}

void check_task(const DirectTask& task) {
  const std::size_t sources = task.source_position.size(), targets = task.target_position.size();
  const bool jerk = !task.jerk.empty();
  check_length("source_mass", task.source_mass.size(), sources, false);
  check_length("source_velocity", task.source_velocity.size(), sources, !jerk);
  check_length("target_velocity", task.target_velocity.size(), targets, !jerk);
  check_length("target_mass", task.target_mass.size(), targets, true);
  check_length("acceleration", task.acceleration.size(), targets, true);
  check_length("jerk", task.jerk.size(), targets, true);
  check_length("potential", task.potential.size(), targets, true);
  if (!(task.softening2 >= 0)) throw Error("direct summation: softening2 is negative or not a number");
}

}  // namespace multiwalk
