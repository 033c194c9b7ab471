// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "run/bench/step_bench.hpp"
#include "run/commands/commands.hpp"
#include "run/commands/options/file_options.hpp"
#include "run/commands/options/number_checks.hpp"
#include "run/commands/options/unsaid_option.hpp"
#include "run/files/json_output.hpp"
#include "run/machine/machine.hpp"
#include "run/machine/program_ranks.hpp"
#include "run/plan/planned_model.hpp"

namespace multiwalk {

namespace {

struct StepArguments {
  std::string parameter_file;
  std::vector<std::string> settings;
  StepBenchTask task;
  std::string order = "model";
  std::string json;
};

void run_step_bench(StepArguments arguments) {
  const Communicator& comm = world_of_program();
  const Parameters parameters = read_parameters(arguments.parameter_file, arguments.settings, comm);
  const RunParameters& run = parameters.run;
  use_threads(run.threads > 0 ? run.threads : default_threads(comm), "run.threads");
  const ExpectedForces expected = collectively(comm, [&]() -> ExpectedForces {
    return {.particles = static_cast<double>(planned_particles(parameters)), .walks = run.walks};
  });
  const BackendChoice choice = choose_backend(run.backend, run.devices, expected, comm);
  arguments.task.shuffled = arguments.order == "random";
  const StepBenchResult result = bench_steps(parameters, arguments.task, choice, comm);
  const nlohmann::json json = step_bench_json(arguments.task, result, choice);
  collectively(comm, [&] {
    if (!comm.root()) return;
    if (arguments.json != "-") {
      fmt::print("back end    {} ({})\n{}", choice.backend->description(), choice.why, step_bench_text(json));
    }
    write_json(arguments.json, json);
  });
}

}  // namespace

void add_step_bench_command(CLI::App& bench) {
  CLI::App* command = bench.add_subcommand(
      "steps", "Time whole steps of a run in memory, with no outputs: forces, kicks, drift, order and energy sums");
  auto arguments = std::make_shared<StepArguments>();
  StepBenchTask& task = arguments->task;
  command->add_option("parameters", arguments->parameter_file, "parameter file, as for multiwalk run")->required();
  add_settings(*command, arguments->settings, "override a parameter, e.g. --set model.particles=1000000");
  command->add_option("--steps", task.steps, "timed steps (or blocks of steps)")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--warm", task.warm, "warm-up steps before them, which are not timed")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_option("--order", arguments->order, "model: as the model makes its particles; random: shuffled first")
      ->check(CLI::IsMember({"model", "random"}))
      ->capture_default_str();
  command
      ->add_option("--sample", task.sample,
                   "particles compared with direct summation after the last step, or all; 0: none")
      ->transform(sample_size(0))
      ->capture_default_str();
  command->add_option("--seed", task.seed, "seed of the order and the sample")
      ->check(whole_number())
      ->capture_default_str();
  add_json_output(*command, arguments->json);
  command->callback([arguments] { run_step_bench(*arguments); });
}

}  // namespace multiwalk
