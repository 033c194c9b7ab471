// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/solver/resident_forces.hpp"

#include <algorithm>

#include "host/base/phase_timer.hpp"
#include "host/force/device_walker.hpp"

namespace multiwalk {

bool ResidentForces::suits(const ForceContext& context, const ParticleStore& particles) const {
  if (walker() == nullptr) return false;
  return (context.least_rung == 0 && context.remote == nullptr) || on_device(particles, tools_.backend);
}

bool ResidentForces::evaluate(Evaluation& evaluation) {
  const ForceContext& context = evaluation.context;
  if (!evaluation.by_devices) {
    const bool suited = suits(context, evaluation.particles);
    const bool alone = context.remote == nullptr;
    evaluation.by_devices = alone ? suited : may_share(context) && context.remote->all(suited);
  }
  if (!*evaluation.by_devices) return false;
  const bool made = evaluation.of_all() ? evaluate_all(evaluation) : evaluate_active(evaluation);
  evaluation.statistics.by_devices = made;
  return made;
}

bool ResidentForces::evaluate_all(Evaluation& evaluation) {
  std::optional<LocalTree> own = grow_and_share(evaluation);
  if (!own) return false;
  limit_groups(*own, evaluation, tools_);
  walk(*own, evaluation);
  PhaseTimer timer;
  timer.enter(Phase::transfer);
  const bool any_order = tools_.backend.deliver() && !evaluation.particles.has_rungs();  // rungs are found by place
  timer.enter(Phase::sort);
  complete(evaluation, *own, any_order, tools_, timer);
  evaluation.statistics.add(timer.seconds());
  evaluation.statistics.delivering = timer.seconds()[static_cast<std::size_t>(Phase::transfer)];
  return true;
}

std::optional<LocalTree> ResidentForces::grow_and_share(Evaluation& evaluation) {
  SourceTrees* const others = evaluation.context.remote;
  GrowthTask task = growth_task(evaluation, tools_);
  task.resident = true;
  task.shared = others != nullptr;
  PhaseTimer timer;
  std::optional<LocalTree> own = grow_tree(evaluation, task, tools_, timer).tree;
  bool there = own && own->resident;
  if (others != nullptr) {
    timer.enter(Phase::let);
    there = walker()->share_tree(*others->exchange(), evaluation.walks, there);
  } else if (!there) {
    evaluation.growth_failed = evaluation.of_all();  // for a few particles, lists need less memory
    if (own && !on_device(evaluation.particles, tools_.backend)) evaluation.grown = own;
  }
  evaluation.statistics.add(timer.seconds());
  if (there) return own;
  if (!evaluation.grown) come_home(evaluation, tools_.backend);
  return std::nullopt;
}

/// All threads wait while the device walks, and while it evaluates.
void ResidentForces::walk(const LocalTree& own, Evaluation& evaluation) {
  ForceStatistics part;
  part.threads = tools_.threads;
  const double began = wall_time();
  tools_.backend.tree_grower()->begin_grown(evaluation.law, {}, all_targets(own, evaluation), tools_.threads);
  const double start = wall_time();
  const MadeWalks made = walker()->walk({evaluation.walks, own.groups, own.smallest});
  part.raw = made.raw;
  part.walking = made.seconds * tools_.threads;
  part.backend = tools_.backend.collect();
  part.wall = wall_time() - start;
  part.waiting = std::max(part.backend.wait, std::max(0.0, part.wall - made.seconds) * tools_.threads);
  part.charge_region(true);
  part.seconds[static_cast<std::size_t>(Phase::transfer)] += start - began;
  evaluation.statistics += part;
}

bool ResidentForces::evaluate_active(Evaluation& evaluation) {
  // Parts of other ranks' trees do not follow their particles.
  const bool old_tree = !evaluation.context.new_tree && evaluation.context.remote == nullptr;
  if (old_tree && walk_active(evaluation)) return true;
  return grow_and_share(evaluation) && walk_active(evaluation);
}

bool ResidentForces::walk_active(Evaluation& evaluation) {
  ForceStatistics part;
  part.threads = tools_.threads;
  const double start = wall_time();
  const auto made = walker()->walk_active({evaluation.walks, evaluation.law, evaluation.context.least_rung});
  if (!made) return false;
  part.backend = tools_.backend.collect();
  part.raw = made->raw;
  part.wall = wall_time() - start - made->following;
  part.walking = made->seconds * tools_.threads;
  part.waiting = std::max(0.0, part.wall - made->seconds) * tools_.threads;
  part.seconds[static_cast<std::size_t>(Phase::tree)] += made->following;
  part.charge_region(true);
  evaluation.statistics += part;
  return true;
}

}  // namespace multiwalk
