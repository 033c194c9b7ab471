// SPDX-License-Identifier: GPL-3.0-or-later
// The outputs that a run makes little by little.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_system.hpp"
#include "run/evolve/output_schedule.hpp"
#include "run/records/run_record.hpp"
#include "run/setup/run_setup.hpp"
#include "run/snapshots/running_output.hpp"

namespace multiwalk {

using RunningOutputs = std::vector<std::unique_ptr<RunningOutput>>;

/// How far the run is at the start or restart.
struct RunProgress {
  std::uint64_t step;
  const RunRecord& record;
};

/// Those that the parameters ask for, with the state of the checkpoint. `system`: this rank's particles at the start or
/// restart. Adds stops to the schedule of the set-up, and calls `tell` with a line about each file. Collective. Throws
/// SharedError.
RunningOutputs make_running_outputs(RunSetup& setup, const ParticleSystem& system, const RunProgress& progress,
                                    const Communicator& comm, const std::function<void(const std::string&)>& tell);

}  // namespace multiwalk
