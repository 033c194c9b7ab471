// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/commands/run_command.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "run/backends/tree_backend.hpp"
#include "run/command_line/progress_options.hpp"
#include "run/driver/run.hpp"
#include "run/machine/machine.hpp"
#include "run/machine/program_ranks.hpp"
#include "run/records/progress.hpp"
#include "run/setup/run_setup.hpp"

namespace multiwalk {

ExitCode run_simulation(const RunRequest& request, const Communicator& comm) {
  const double began = wall_time();
  RunSetup setup = set_up_run(request, comm);
  const RunDirectoryLock lock = std::move(setup.lock);
  const RunParameters& asked = setup.parameters.run;
  const int threads = default_threads(comm, threads_of_messages(setup.direct_backend, comm));
  use_threads(asked.threads > 0 ? asked.threads : threads, "run.threads");
  const auto progress = collectively(comm, [&] {
    return comm.root() ? std::make_unique<Progress>(asked.directory, request.progress) : std::make_unique<Progress>();
  });
  if (!setup.warning.empty()) progress->message("WARNING: " + setup.warning);
  IcProgress making([&](const std::string& text) { progress->message(text); });
  make_particles(setup, comm, making);
  Run run(std::move(setup), making.parts(), comm, *progress, began);
  return run();
}

void add_run_command(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand("run", "Run a simulation from a parameter file, or continue one");
  auto request = std::make_shared<RunRequest>();
  command->add_option("parameters", request->parameter_file, "parameter file (TOML); see run/examples");
  command->add_option("--set", request->settings, "override a parameter, e.g. --set force.theta=0.5")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--restart", request->restart, "continue the run in this directory");
  command->add_flag("--overwrite", request->overwrite, "replace an existing run in run.directory");
  add_progress_options(*command, request->progress);
  command->footer("Exit code: 0 finished, 3 stopped early with a checkpoint, 1 failed.");
  command->callback([request, &exit_code] {
    if (request->parameter_file.empty() && request->restart.empty()) {
      throw SharedError("run: give a parameter file, e.g. run/examples/demo.toml, or --restart DIRECTORY");
    }
    if (request->overwrite && !request->restart.empty()) {
      throw SharedError("run: --restart continues a run, --overwrite replaces it: give one of them");
    }
    exit_code = run_simulation(*request, world_of_program());
  });
}

}  // namespace multiwalk
