// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/maps/timed_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/base/phase_timer.hpp"

namespace multiwalk {

TimedOutput::TimedOutput(TimesOfFiles planned, std::size_t next, Communicator comm)
    : planned_(std::move(planned)), next_(next), comm_(std::move(comm)) {}

std::size_t TimedOutput::number_of(double time) const {
  constexpr double rounding = 2e-12;  // the schedule merges times that differ by 1e-12
  const auto same = [&](double t) { return std::fabs(t - time) <= rounding * time; };
  return static_cast<std::size_t>(std::ranges::find_if(planned_.times, same) - planned_.times.begin());
}

bool TimedOutput::due(double time) const {
  return number_of(time) < planned_.times.size();
}

WrittenFiles TimedOutput::write(const RunningMoment& moment) {
  const ParticleSystem& system = moment.system;
  const double began = wall_time();
  const PeriodicParticles particles{system.particles.position, system.particles.mass, system.box_size};
  const std::size_t number = std::max(number_of(system.time), next_);
  std::vector<std::string> files = make({system.time, particles, sum_masses(particles, comm_)}, number);
  next_ = number + 1;
  files_ += files.size();
  seconds_ += wall_time() - began;
  return {std::move(files)};
}

std::string TimedOutput::finish() {
  return fmt::format("{}: wrote {} files", planned_.what, files_);
}

}  // namespace multiwalk
