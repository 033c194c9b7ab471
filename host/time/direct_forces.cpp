// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/time/direct_forces.hpp"

#include "host/base/phase_timer.hpp"

namespace multiwalk {

void LocalForces::sum(const DirectTask& task) {
  const double began = wall_time();
  backend_.sum(task);
  counts_.summing += wall_time() - began;
  ++counts_.sums;
  counts_.pairs += task.target_position.size() * task.source_position.size();
}

}  // namespace multiwalk
