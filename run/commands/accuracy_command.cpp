// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "run/bench/force_bench.hpp"
#include "run/commands/commands.hpp"
#include "run/commands/force_options_cli.hpp"
#include "run/commands/options/number_checks.hpp"
#include "run/commands/options/unsaid_option.hpp"
#include "run/evolve/simulation.hpp"
#include "run/files/json_output.hpp"
#include "run/files/printable.hpp"
#include "run/machine/machine.hpp"
#include "run/machine/program_ranks.hpp"
#include "run/parameters/sections/force.hpp"

namespace multiwalk {

namespace {

struct AccuracyArguments : ForceArguments {
  std::string snapshot;
  UnsaidOption unsaid;
  std::vector<double> thetas;  ///< empty: not given
  double softening = -1;

  AccuracyArguments() { box.accuracy = Accuracy::custom; }
};

nlohmann::json measure(ParticleSystem& system, BenchTask& task, double theta, const BackendChoice& choice,
                       const Communicator& comm) {
  task.force.theta = theta;
  const BenchResult result = bench_forces(system, task, choice, comm);
  const double per_particle = static_cast<double>(result.raw.total()) / static_cast<double>(result.particles);
  return {{"theta", theta},
          {"list", per_particle},
          {"seconds", result.seconds},
          {"total", percentiles_json(result.errors.total)},
          {"peculiar", percentiles_json(result.errors.peculiar)}};
}

void print_head(const std::string& snapshot, std::uint64_t particles, const BenchTask& task,
                const ForceBackend& backend) {
  const std::string mac =
      mac_name(task.force.mac) + (task.force.relative() ? fmt::format(" to {:g}", task.force.alpha) : "");
  std::printf("%s: %llu particles, softening %g, %s, %s\n", printable(snapshot).c_str(),
              static_cast<unsigned long long>(particles), task.law.softening, mac.c_str(),
              backend.description().c_str());
  for (const char* of : {"                          error of the total acceleration", "of the peculiar acceleration"})
    std::printf("%-79s", of);
  std::printf("\n theta     list   seconds");
  for (int twice = 0; twice < 2; ++twice) std::printf("   %9s %30s %9s", "median", "99% (95% interval)", "max");
  std::printf("\n");
}

void print_row(const nlohmann::json& row) {
  std::printf("%6.3f %8.0f %9.3f", row.at("theta").get<double>(), row.at("list").get<double>(),
              row.at("seconds").get<double>());
  for (const char* of : {"total", "peculiar"}) {
    const nlohmann::json& e = row.at(of);
    std::printf("   %9.2e %s %9.2e", e.at("median").get<double>(), tail_column(e).c_str(), e.at("max").get<double>());
  }
  std::printf("\n");
}

/// The relative criterion uses an angle only for the very first forces.
std::vector<double> thetas_of(const AccuracyArguments& arguments, const GravityOptions& force) {
  std::vector<double> thetas = arguments.thetas;
  if (thetas.empty()) thetas = force.relative() ? std::vector{force.theta} : std::vector{0.3, 0.5, 0.75};
  if (force.relative()) thetas.resize(1);
  return thetas;
}

void run_accuracy(AccuracyArguments arguments) {
  if (!arguments.thetas.empty()) arguments.theta = arguments.thetas.front();
  BenchTask task;
  task.force = arguments.resolve();
  task.box = arguments.box;
  task.threads = arguments.threads;
  task.sample = arguments.sample;
  task.seed = arguments.seed;
  task.repeats = 1;
  task.law.softening = -1;
  const Communicator& comm = world_of_program();
  use_threads(arguments.threads > 0 ? arguments.threads : default_threads(comm), "--threads");
  ParticleSystem system =
      bench_model(arguments.snapshot, 0, arguments.seed, task, comm, arguments.unsaid.resolve(comm));
  if (arguments.softening >= 0 || task.law.softening < 0) {
    Parameters parameters;
    parameters.softening.softening = arguments.softening;
    task.law.softening = resolve_softening(parameters, system, comm);
  }
  const auto particles = comm.sum(static_cast<std::uint64_t>(system.particles.size()));
  const ExpectedForces expected{.particles = static_cast<double>(particles), .walks = arguments.walks};
  const BackendChoice choice = choose_backend(arguments.backend, arguments.devices, expected, comm);
  choose_box_forces(task, system, *choice.backend, comm);
  if (comm.root()) print_head(arguments.snapshot, particles, task, *choice.backend);
  nlohmann::json rows = nlohmann::json::array();
  for (const double theta : thetas_of(arguments, task.force)) {
    rows.push_back(measure(system, task, theta, choice, comm));
    if (comm.root()) print_row(rows.back());
  }
  collectively(comm, [&] {
    if (!comm.root()) return;
    write_json(arguments.json, {{"snapshot", arguments.snapshot},
                                {"particles", particles},
                                {"softening", task.law.softening},
                                {"mac", mac_name(task.force.mac)},
                                {"multipole", multipole_name(task.force.multipole)},
                                {"ranks", comm.size()},
                                {"rows", rows}});
  });
}

}  // namespace

void add_accuracy_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("accuracy", "Compare tree forces on a snapshot with direct summation");
  auto arguments = std::make_shared<AccuracyArguments>();
  arguments->add_to(*command);
  command->add_option("snapshot", arguments->snapshot, "snapshot file")->required();
  arguments->unsaid.add_to(*command);
  command
      ->add_option("--theta", arguments->thetas,
                   "opening angles, e.g. 0.3,0.5,0.75; without --alpha, those of barnes90")
      ->delimiter(',')
      ->check(within_range_of("force.theta"));
  command
      ->add_option("--softening", arguments->softening,
                   "kpc/h (isolated: model units); default: what the file states, else mean spacing / 25")
      ->check(within_range_of("force.softening"));
  command->callback([arguments] { run_accuracy(*arguments); });
}

}  // namespace multiwalk
