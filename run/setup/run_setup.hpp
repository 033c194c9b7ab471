// SPDX-License-Identifier: GPL-3.0-or-later
// The start of a run: from initial conditions, a snapshot, or a checkpoint with the run's record.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_system.hpp"
#include "run/backends/direct_backend.hpp"
#include "run/backends/tree_backend.hpp"
#include "run/evolve/output_schedule.hpp"
#include "run/parameters/parameters.hpp"
#include "run/records/ic_progress.hpp"
#include "run/setup/run_directory.hpp"
#include "run/setup/run_request.hpp"
#include "run/snapshots/checkpoint.hpp"

namespace multiwalk {

/// The set-up of one rank; all but the particles and the back end is the same on every rank.
struct RunSetup {
  Parameters parameters;
  ParticleSystem system;  ///< this rank's share; empty until make_particles if a model is to be made
  OutputSchedule schedule;
  double first_time = 0;       ///< where the run began (a or t)
  nlohmann::json state;        ///< null for a new run
  std::string warning;         ///< to be shown as a WARNING
  std::string other_end = {};  ///< what a restart changes of the run's end
  std::string run_id = {};     ///< run_identity.hpp
  bool finished = false;       ///< the run was at its last time already, with all its files
  BackendChoice backend = {};
  IntegratedBodies direct = {};  ///< of a direct run (is_direct), in place of particles and back end
  DirectBackendChoice direct_backend = {};
  CheckpointBlobs blobs = {};  ///< of the checkpoint
  std::string advice = {};     ///< device_advice
  RunDirectoryLock lock = {};  ///< of rank 0
  bool catch_signals = true;   ///< RunRequest

  [[nodiscard]] bool is_new() const { return state.is_null(); }
};

/// Reads and checks everything that the request names, then prepares the run directory and writes parameters.toml into
/// it. Throws SharedError before anything is written if the request cannot be carried out. Collective.
RunSetup set_up_run(const RunRequest& request, const Communicator& comm);

/// Makes the particles of a new run whose model is not a file. Collective.
void make_particles(RunSetup& setup, const Communicator& comm, IcProgress& progress);

}  // namespace multiwalk
