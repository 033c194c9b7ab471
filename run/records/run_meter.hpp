// SPDX-License-Identifier: GPL-3.0-or-later
// Wall time and device energy of a run, restarts included.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "run/machine/device_power.hpp"
#include "run/records/run_record.hpp"

namespace multiwalk {

class RunMeter {
 public:
  /// `metered`: bus ids of the devices whose energy this rank counts; `devices`: of all ranks; `began`: wall_time when
  /// the program was started.
  RunMeter(const std::vector<std::string>& metered, int devices, double began, const Communicator& comm);

  /// Continues from a checkpoint's record.
  void go_on_from(const RunRecord& earlier);
  /// Sets wall_seconds and device_joules as of now; no joules if devices of a rank, now or in an earlier part of the
  /// run, were not metered. Collective.
  void update(RunRecord& record) const;

  /// Joules of all devices since this was made, as known at most `oldest` seconds ago. Collective.
  [[nodiscard]] std::optional<double> joules_of_all(double oldest = 0) const;

 private:
  Communicator comm_;
  DevicePower power_;
  bool metered_;
  int devices_;
  double began_;
  double earlier_wall_ = 0;
  std::optional<double> earlier_joules_;
};

}  // namespace multiwalk
