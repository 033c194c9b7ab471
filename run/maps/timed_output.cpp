// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/maps/timed_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/base/phase_timer.hpp"

namespace multiwalk {

TimedOutput::TimedOutput(std::string what, std::vector<double> times, Communicator comm)
    : what_(std::move(what)), times_(std::move(times)), comm_(std::move(comm)) {}

std::size_t TimedOutput::number_of(double time) const {
  constexpr double rounding = 2e-12;  // the schedule merges times that differ by 1e-12
  const auto same = [&](double t) { return std::fabs(t - time) <= rounding * time; };
  return static_cast<std::size_t>(std::ranges::find_if(times_, same) - times_.begin());
}

bool TimedOutput::due(double time) const {
  return number_of(time) < times_.size();
}

WrittenFiles TimedOutput::write(const RunningMoment& moment) {
  const ParticleSystem& system = moment.system;
  const double began = wall_time();
  const PeriodicParticles particles{system.particles.position, system.particles.mass, system.box_size};
  std::vector<std::string> files = make({system.time, particles, sum_masses(particles, comm_)}, number_of(system.time));
  files_ += files.size();
  seconds_ += wall_time() - began;
  return {std::move(files)};
}

std::string TimedOutput::finish() {
  return fmt::format("{}: wrote {} files", what_, files_);
}

}  // namespace multiwalk
