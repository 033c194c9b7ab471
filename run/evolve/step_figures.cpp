// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/evolve/step_figures.hpp"

#include <algorithm>

namespace multiwalk {

StepFigures::Waiting::~Waiting() {
  const double seconds = wall_time() - began_;
  figures_.own.waiting += seconds;
  figures_.charge(Phase::other, seconds);
}

void StepFigures::add(const ForceStatistics& forces, double seconds, std::uint64_t targets,
                      const EssentialStatistics* exchange) {
  for (std::size_t p = 0; p < phase_count; ++p) own.seconds[p] += forces.seconds[p];
  charge(Phase::other, std::max(0.0, seconds - total(forces.seconds)));
  own.work += static_cast<double>(forces.raw.total());
  if (exchange != nullptr) own.add(*exchange);
  raw += forces.raw;
  last_raw = forces.raw.total();
  evaluations += targets;
}

const RankTimings& StepFigures::finish(std::size_t particles) {
  own.particles = static_cast<double>(particles);
  own.bytes_sent = static_cast<double>(Communicator::bytes_sent() - sent_);
  charge(rest_, std::max(0.0, wall_time() - began_ - total(own.seconds)));
  return own;
}

}  // namespace multiwalk
