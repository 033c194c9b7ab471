// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/driver/whole_run.hpp"

#include <utility>

#include "decomposition/ranks/agree.hpp"
#include "host/base/phase_timer.hpp"
#include "run/backends/direct_backend.hpp"
#include "run/machine/machine.hpp"
#include "run/setup/run_setup.hpp"

namespace multiwalk {

WholeRun::WholeRun(const RunRequest& request, const Communicator& comm) {
  const double began = wall_time();
  RunSetup setup = set_up_run(request, comm);
  lock_ = std::move(setup.lock);
  parameters_ = setup.parameters;
  const RunParameters& asked = parameters_.run;
  const int threads = default_threads(comm, threads_of_messages(setup.direct_backend, comm));
  use_threads(asked.threads > 0 ? asked.threads : threads, "run.threads");
  progress_ = collectively(comm, [&] {
    return comm.root() ? std::make_unique<Progress>(asked.directory, request.progress, request.say)
                       : std::make_unique<Progress>();
  });
  if (!setup.warning.empty()) progress_->message("WARNING: " + setup.warning);
  if (!setup.advice.empty()) progress_->message("GPUs: " + setup.advice);
  IcProgress making([&](const std::string& text) { progress_->message(text); });
  make_particles(setup, comm, making);
  run_.emplace(std::move(setup), making.parts(), comm, *progress_, began);
}

ExitCode run_simulation(const RunRequest& request, const Communicator& comm) {
  WholeRun whole(request, comm);
  return whole.run()();
}

}  // namespace multiwalk
