// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>
#include <memory>

#include "decomposition/ranks/agree.hpp"
#include "run/command_line/progress_options.hpp"
#include "run/commands/commands.hpp"
#include "run/commands/options/unsaid_option.hpp"
#include "run/driver/whole_run.hpp"
#include "run/machine/program_ranks.hpp"
#include "run/parameters/written_path.hpp"

namespace multiwalk {

void add_run_command(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand("run", "Run a simulation from a parameter file, or continue one");
  auto request = std::make_shared<RunRequest>();
  command->add_option("parameters", request->parameter_file, "parameter file (TOML); see run/examples");
  add_settings(*command, request->settings, "override a parameter, e.g. --set force.theta=0.5");
  command->add_option("--restart", request->restart, "continue the run in this directory");
  command->add_flag("--overwrite", request->overwrite, "replace an existing run in run.directory");
  add_progress_options(*command, request->progress);
  command->footer("Exit code: 0 finished, 3 stopped early with a checkpoint, 1 failed.");
  command->callback([request, &exit_code] {
    if (request->parameter_file.empty() && request->restart.empty()) {
      throw SharedError("run: give a parameter file, e.g. run/examples/lcdm_box.toml, or --restart DIRECTORY");
    }
    if (request->overwrite && !request->restart.empty()) {
      throw SharedError("run: --restart continues a run, --overwrite replaces it: give one of them");
    }
    request->restart = expanded_path(request->restart);
    exit_code = run_simulation(*request, world_of_program());
  });
}

}  // namespace multiwalk
