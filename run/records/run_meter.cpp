// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/records/run_meter.hpp"

#include "host/base/phase_timer.hpp"

namespace multiwalk {

RunMeter::RunMeter(const std::vector<std::string>& metered, int devices, double began, const Communicator& comm)
    : comm_(comm), power_(metered), metered_(!metered.empty()), devices_(devices), began_(began) {}

void RunMeter::go_on_from(const RunRecord& earlier) {
  earlier_wall_ = earlier.wall_seconds;
  earlier_joules_ = earlier.device_joules;
}

std::optional<double> RunMeter::joules_of_all(double oldest) const {
  const std::optional<double> own = power_.joules(oldest);
  const double sum = comm_.sum(own.value_or(0));
  if (comm_.any(metered_ && !own) || devices_ == 0) return std::nullopt;
  return sum;
}

void RunMeter::update(RunRecord& record) const {
  record.wall_seconds = earlier_wall_ + wall_time() - began_;
  const std::optional<double> joules = joules_of_all();
  const bool metered = joules && (earlier_wall_ == 0 || earlier_joules_);
  record.device_joules = metered ? std::optional(*joules + earlier_joules_.value_or(0)) : std::nullopt;
}

}  // namespace multiwalk
