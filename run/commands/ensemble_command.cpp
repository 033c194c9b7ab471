// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>
#include <memory>

#include "decomposition/ranks/agree.hpp"
#include "run/command_line/progress_options.hpp"
#include "run/commands/commands.hpp"
#include "run/commands/options/number_checks.hpp"
#include "run/commands/options/unsaid_option.hpp"
#include "run/driver/whole_run.hpp"
#include "run/ensemble/ensemble.hpp"
#include "run/machine/program_ranks.hpp"
#include "run/parameters/written_path.hpp"

namespace multiwalk {

namespace {

constexpr const char* ensemble_footer =
    "Stopped or killed, an ensemble continues when the same command is given again. On a cluster:\n"
    "  sbatch --array=0-99 --wrap 'multiwalk ensemble PARAM.toml --seeds 0:50 --paired -o DIR --task "
    "$SLURM_ARRAY_TASK_ID'\n"
    "makes each realisation in a job of its own; the last one to end collects all of them.\n"
    "Exit code: 0 finished, 3 stopped early with a checkpoint, 1 failed.";

void check_ensemble_request(const EnsembleRequest& request) {
  if (request.collect_only) return;
  if (request.parameter_file.empty()) {
    throw SharedError("ensemble: give a parameter file, e.g. run/examples/lcdm_box.toml, or --collect");
  }
  if (request.seeds.empty()) throw SharedError("ensemble: give the seeds, e.g. --seeds 0:50");
}

}  // namespace

void add_ensemble_command(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "ensemble",
      "Make many realisations of one parameter file, and the mean, scatter and covariance of their measurements");
  auto request = std::make_shared<EnsembleRequest>();
  auto task = std::make_shared<std::size_t>(0);
  command->add_option("parameters", request->parameter_file, "parameter file (TOML), the same for all realisations");
  command->add_option("--seeds", request->seeds, "A:B for the seeds from A to B - 1, a list 1,2,7, or both: 0:50,77");
  command->add_flag("--paired", request->paired,
                    "also make the partner of each run, with the opposite density contrast (ic.paired)");
  command->add_option("-o,--output", request->directory, "directory of the ensemble")->required();
  add_settings(*command, request->settings, "override a parameter, e.g. --set time.eta=0.05");
  CLI::Option* one =
      command->add_option("--task", *task, "make only the realisation of this number, from 0")->check(whole_number());
  CLI::Option* collect =
      command->add_flag("--collect", request->collect_only, "make no run; collect those that are finished");
  one->excludes(collect);
  add_progress_options(*command, request->progress);
  command->footer(ensemble_footer);
  command->callback([request, task, one, &exit_code] {
    if (one->count() > 0) request->task = *task;
    request->directory = expanded_path(request->directory);
    check_ensemble_request(*request);
    const Communicator& comm = world_of_program();
    exit_code = make_ensemble(
        *request, [&comm](const RunRequest& run) { return run_simulation(run, comm); }, comm);
  });
}

}  // namespace multiwalk
