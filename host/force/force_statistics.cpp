// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/force/force_statistics.hpp"

#include <algorithm>

namespace multiwalk {

void ForceStatistics::add(const PhaseSeconds& more) {
  for (std::size_t p = 0; p < phase_count; ++p) seconds[p] += more[p];
}

double ForceStatistics::seconds_of_sizes() const {
  double constant = delivering;
  for (const Phase phase : {Phase::sort, Phase::mesh, Phase::let}) constant += seconds[static_cast<std::size_t>(phase)];
  return total(seconds) - constant;
}

ForceStatistics& ForceStatistics::operator+=(const ForceStatistics& other) {
  raw += other.raw;
  add(other.seconds);
  backend.pack += other.backend.pack;
  backend.transfer += other.backend.transfer;
  backend.device += other.backend.device;
  backend.wait += other.backend.wait;
  walking += other.walking;
  waiting += other.waiting;
  remote += other.remote;
  delivering += other.delivering;
  imbalance = wall + other.wall > 0 ? (imbalance * wall + other.imbalance * other.wall) / (wall + other.wall) : 1;
  wall += other.wall;
  threads = other.threads;
  by_devices = other.by_devices;
  return *this;
}

void ForceStatistics::charge_region(bool overlaps) {
  const BackendTimes& b = backend;
  const double away = std::max(b.device + b.transfer, 1e-30);
  const double pack = overlaps ? 0 : b.pack;
  const double transfer = overlaps ? waiting * b.transfer / away : 0;
  const double device = overlaps ? waiting * b.device / away : b.device;
  const double idle = std::max(0.0, wall * threads - walking - pack - transfer - device);
  const double scale = wall / std::max(walking + pack + transfer + device + idle, 1e-30);
  const auto charge = [&](Phase phase, double mine) { seconds[static_cast<std::size_t>(phase)] += mine * scale; };
  charge(Phase::walk, walking);
  charge(Phase::pack, pack);
  charge(Phase::transfer, transfer);
  charge(Phase::device, device);
  charge(Phase::other, idle);
}

}  // namespace multiwalk
