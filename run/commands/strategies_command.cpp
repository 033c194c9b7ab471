// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "decomposition/ranks/agree.hpp"
#include "run/bench/strategy_bench.hpp"
#include "run/commands/commands.hpp"
#include "run/commands/force_options_cli.hpp"
#include "run/commands/options/file_options.hpp"
#include "run/commands/options/number_checks.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_output.hpp"
#include "run/machine/machine.hpp"
#include "run/machine/program_ranks.hpp"
#include "run/pages/page.hpp"

namespace multiwalk {

namespace {

struct StrategyArguments : ForceArguments {
  StrategyTask task;
  double softening = 0.025;
  int repeats = 3;
  bool no_scans = false;
  std::string html;

  StrategyArguments() {
    mac = Mac::barnes90;  // as in the paper
    force.multipole = MultipoleOrder::monopole;
    task.group_sizes = {64, 128, 256, 512, 1024, 2048};
  }
};

StrategyTask task_of(const StrategyArguments& arguments, int threads) {
  StrategyTask task = arguments.task;
  task.evaluation.force = arguments.resolve();
  task.evaluation.law.softening = arguments.softening;
  task.evaluation.threads = threads;
  task.evaluation.repeats = arguments.repeats;
  task.evaluation.sample = arguments.sample;
  task.evaluation.seed = arguments.seed;
  task.devices = arguments.devices;
  task.scanned_backend = arguments.backend;
  if (task.threads.empty()) task.threads = scanned_threads(threads);
  if (arguments.no_scans) {
    task.group_sizes.clear();
    task.threads.clear();
  }
  return task;
}

void run_strategies(const StrategyArguments& arguments) {
  const Communicator& comm = world_of_program();
  if (!comm.alone()) throw SharedError("bench strategies compares on one rank: start it without mpiexec");
  const int threads = arguments.threads > 0 ? arguments.threads : default_threads(comm);
  use_threads(threads, "--threads");
  const nlohmann::json comparison = compare_strategies(
      task_of(arguments, threads), [](const std::string& what) { fmt::print(stderr, "{}\n", what); });
  if (arguments.json != "-") fmt::print("{}", strategy_text(comparison));
  write_json(arguments.json, comparison);
  if (!arguments.html.empty()) write_file_atomically(arguments.html, page(PageKind::strategy_bench, comparison));
}

}  // namespace

void add_strategies_command(CLI::App& bench) {
  CLI::App* command = bench.add_subcommand(
      "strategies",
      "Compare one walk per launch (i- and j-parallel), many walks per launch and the CPU, by direct summation\n"
      "and by tree (Hamada et al. 2009, Fig. 1), and walks made by the device; then scan group sizes and host threads");
  auto arguments = std::make_shared<StrategyArguments>();
  StrategyTask& task = arguments->task;
  const CLI::Range particles(std::uint64_t{2}, std::uint64_t{4000000000});
  arguments->add_to(*command);
  command->get_option("--mac")->description("opening criterion (default: barnes90)");
  command->get_option("--backend")->description("back end of the scans: auto, cpu or cuda");
  command->get_option("--devices")->description("CUDA device numbers: strategies use the first one, scans use all");
  command->add_option("--direct", task.direct_particles, "particles of direct summation")
      ->check(particles)
      ->capture_default_str();
  command->add_option("--tree", task.tree_particles, "particles of the tree; for a laptop e.g. 262144")
      ->check(particles)
      ->capture_default_str();
  command->add_option("--theta", arguments->theta, fmt::format("opening angle (default: {})", arguments->force.theta))
      ->check(within_range_of("force.theta"));
  command->add_option("--softening", arguments->softening, "Plummer softening, in the model's length unit")
      ->check(number_from_zero())
      ->capture_default_str();
  command->add_option("--repeat,--repeats", arguments->repeats, "evaluations after a warm-up; the fastest counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--group-sizes", task.group_sizes, "group sizes to scan")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command
      ->add_option("--thread-counts", task.threads,
                   "numbers of host threads to scan, with walks by the host and by the device\n"
                   "(default: 1, 2, 4, ... all)")
      ->delimiter(',')
      ->check(CLI::Range(1, 4096));
  command->add_flag("--no-scans", arguments->no_scans, "compare the strategies only");
  add_output(*command, "--html", arguments->html, "write charts and tables to this page", html_names);
  command->callback([arguments] { run_strategies(*arguments); });
}

}  // namespace multiwalk
