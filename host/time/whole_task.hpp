// SPDX-License-Identifier: GPL-3.0-or-later
// All bodies of a process as both sources and targets of a sum.
#pragma once

#include "host/particles/bodies.hpp"
#include "host/time/direct_integrator.hpp"

namespace multiwalk {

/// Result arrays are left empty.
inline DirectTask whole_task(const DirectOptions& options, const Bodies& bodies) {
  DirectTask task;
  task.source_position = task.target_position = bodies.position;
  task.source_velocity = task.target_velocity = bodies.velocity;
  task.source_mass = task.target_mass = bodies.mass;
  task.softening2 = options.softening * options.softening;
  task.precision = options.precision;
  return task;
}

}  // namespace multiwalk
