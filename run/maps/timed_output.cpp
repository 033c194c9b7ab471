// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/maps/timed_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "decomposition/ranks/agree.hpp"
#include "host/base/phase_timer.hpp"

namespace multiwalk {

TimedOutput::TimedOutput(OwnTimes planned, std::size_t next, Communicator comm)
    : planned_(std::move(planned)), next_(next), comm_(std::move(comm)) {}

std::size_t TimedOutput::number_of(double time) const {
  constexpr double rounding = 2e-12;  // the schedule merges times that differ by 1e-12
  const auto same = [&](double t) { return std::fabs(t - time) <= rounding * time; };
  return static_cast<std::size_t>(std::ranges::find_if(planned_.times, same) - planned_.times.begin());
}

bool TimedOutput::due(double time) const {
  return number_of(time) < planned_.times.size();
}

nlohmann::json TimedOutput::write(const OutputMoment& moment) {
  const ParticleSystem& system = moment.particles.motion_on_host();
  const double began = wall_time();
  const PeriodicParticles particles{system.particles.position, system.particles.mass, system.box_size};
  const std::size_t number = std::max(number_of(system.time), next_);
  std::vector<std::string> files = make({system.time, particles, sum_masses(particles, comm_)}, number);
  next_ = number + 1;
  files_ += files.size();
  seconds_ += wall_time() - began;
  return files;
}

std::string TimedOutput::finish() {
  return fmt::format("{}: wrote {} files", planned_.what, files_);
}

std::vector<double> map_times(const OutputSetup& setup, const char* key, const std::vector<double>& redshifts) {
  if (setup.system.boundary != Boundary::periodic || setup.system.frame != Frame::comoving) {
    throw SharedError(fmt::format("[{}] are for periodic boxes: these particles are in none",
                                  std::string_view(key).substr(0, std::string_view(key).find('.'))));
  }
  require_in_run(key, redshifts, setup.first_time);
  std::vector<double> times;
  for (const double z : redshifts) {
    times.push_back(1 / (1 + z));
    setup.schedule.add_stop(times.back());
  }
  if (redshifts.empty()) times.assign(setup.schedule.times().begin(), setup.schedule.times().end());
  std::ranges::sort(times);
  return times;
}

}  // namespace multiwalk
