// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "run/bench/force_bench.hpp"
#include "run/commands/commands.hpp"
#include "run/commands/force_options_cli.hpp"
#include "run/commands/options/number_checks.hpp"
#include "run/files/json_output.hpp"
#include "run/machine/machine.hpp"
#include "run/machine/program_ranks.hpp"

namespace multiwalk {

namespace {

struct BenchArguments : ForceArguments {
  std::string model = "plummer";
  std::uint64_t particles = 131072;
  double softening = 0;
  std::string error = "total";
  bool effective = false;
  int repeats = 3;
  bool tune = false;
  bool shuffle = false;
  bool resident = false;
  std::vector<int> grid;
};

void print_ranks(const nlohmann::json& j) {
  const nlohmann::json& over = j.at("over_ranks");
  const nlohmann::json &imbalance = over.at("imbalance"), &trees = over.at("essential_trees");
  const auto number = [](const nlohmann::json& value) { return value.get<double>(); };
  std::printf("ranks       %d on %d GPUs; most / mean of time %.3f, of interactions %.3f, of particles %.3f\n",
              j.at("ranks").get<int>(), j.at("devices").get<int>(), number(imbalance.at("time")),
              number(imbalance.at("work")), number(imbalance.at("particles")));
  std::printf(
      "exchange    %.4g particles (%.3f of a rank's own), %.4g cells, %.4g bytes to a rank; %.3f of it hidden\n",
      number(trees.at("particles").at("mean")), number(trees.at("fraction_of_particles")),
      number(trees.at("nodes").at("mean")), number(trees.at("bytes").at("mean")),
      number(over.at("hidden_communication")));
}

void print(const nlohmann::json& j, const std::string& why) {
  const auto number = [&](const char* a, const char* b) { return j.at(a).at(b).get<double>(); };
  const auto n = j.at("particles").get<double>();
  std::printf("back end    %s (%s)\n", j.at("backend_description").get<std::string>().c_str(), why.c_str());
  std::printf("particles   %.0f in groups of %.0f (at most %u), leaves of at most %u\n", n,
              j.at("mean_group").get<double>(), j.at("group_size").get<unsigned>(), j.at("leaf_size").get<unsigned>());
  std::printf("seconds     %.4f fastest, %.4f median of %zu; the fastest:", number("seconds", "total"),
              j.at("seconds_median").get<double>(), j.at("seconds_of_repeats").size());
  for (const auto& [phase, seconds] : j.at("seconds").items()) {
    if (phase != "total") std::printf(" %s %.4f", phase.c_str(), seconds.get<double>());
  }
  std::printf("\nspeed       %.4g particles/s fastest, %.4g median; %.4g pairs/s\n",
              j.at("particles_per_second").get<double>(), j.at("particles_per_second_median").get<double>(),
              j.at("pairs_per_second").get<double>());
  std::printf("busy        device %.3f, link %.3f, walkers %.3f; walking hidden behind the device %.3f\n",
              number("busy", "device"), number("busy", "link"), number("busy", "walkers"),
              j.at("hidden_walking").get<double>());
  if (j.at("ranks") > 1) print_ranks(j);
  std::printf("particles   %s%s\n", j.at("shuffled").get<bool>() ? "in random order, " : "",
              j.at("resident").get<bool>() ? "stay on the device between evaluations"
                                           : "are in arrays of the host, and so are their forces");
  std::printf("memory      %.0f bytes per particle on the host, %.0f on the devices, at peak\n",
              number("memory", "host_per_particle"), number("memory", "device_per_particle"));
  std::printf("list        %.1f particles + %.1f cells + 16 x %.1f expansions = %.1f per particle\n",
              number("pairs", "pp") / n, number("pairs", "pc") / n, number("pairs", "expansions") / n,
              number("pairs", "raw") / n);
  if (!j.at("pairs").at("effective").is_null()) {
    std::printf("effective   %.1f +- %.1f per particle; monopole BH86 of equal %s error: %.1f at theta %.3f\n",
                number("pairs", "effective") / n, number("pairs", "effective_error") / n,
                j.at("pairs").at("equal_error_of").get<std::string>().c_str(),
                number("pairs", "equal_error_monopole") / n, number("pairs", "equal_error_theta"));
  }
  if (j.contains("mesh")) {
    std::printf("mesh        %u cells per side, split at %.3g of them, pairs up to %.3g splits apart\n",
                j.at("mesh").at("cells").get<unsigned>(), number("mesh", "split"), number("mesh", "cutoff"));
  }
  if (j.at("error").is_null()) return;
  const auto print_error = [&](const char* name, const std::string& of) {
    std::printf("error       %s, of the %s acceleration\n", percentiles_text(j.at(name)).c_str(), of.c_str());
  };
  print_error("error", j.at("error_of").get<std::string>());
  if (j.contains("error_of_rms")) print_error("error_of_rms", "rms");
}

void run_bench(const BenchArguments& arguments) {
  if (arguments.error != "total" && arguments.error != "peculiar") {
    throw SharedError("--error " + arguments.error + ": use total or peculiar");
  }
  BenchTask task;
  task.force = arguments.resolve();
  task.box = arguments.box;
  task.law.softening = arguments.softening;
  task.threads = arguments.threads;
  task.repeats = arguments.repeats;
  task.tune = arguments.tune;
  task.shuffle = arguments.shuffle;
  task.resident = arguments.resident;
  task.sample = arguments.sample;
  task.seed = arguments.seed;
  task.effective = arguments.effective;
  task.peculiar = arguments.error == "peculiar";
  if (!arguments.grid.empty()) std::ranges::copy(arguments.grid, task.grid.begin());
  const Communicator& comm = world_of_program();
  use_threads(arguments.threads > 0 ? arguments.threads : default_threads(comm), "--threads");
  // The particles of a snapshot are read into memory of the back end, so their number is not known yet.
  const ExpectedForces expected{.particles = static_cast<double>(arguments.particles), .walks = arguments.walks};
  const BackendChoice choice = choose_backend(arguments.backend, arguments.devices, expected, comm);
  ParticleSystem system = bench_model(arguments.model, arguments.particles, arguments.seed, task, comm);
  choose_box_forces(task, system, *choice.backend, comm);
  const BenchResult result = bench_forces(system, task, choice, comm);
  const nlohmann::json json = bench_json(task, result, choice);
  collectively(comm, [&] {
    if (!comm.root()) return;
    if (arguments.json != "-") print(json, choice.why);
    write_json(arguments.json, json);
  });
}

}  // namespace

void add_bench_command(CLI::App& app) {
  CLI::App* bench = app.add_subcommand("bench", "Measure speed");
  bench->require_subcommand(1);
  CLI::App* forces = bench->add_subcommand("forces", "Time one evaluation of all forces and measure its error");
  auto arguments = std::make_shared<BenchArguments>();
  arguments->least_sample = 0;
  arguments->add_to(*forces);
  forces->add_option("--model", arguments->model, "plummer, uniform, hubble, cosmological or a snapshot file")
      ->capture_default_str();
  forces->add_option("-n,--particles", arguments->particles, "number of particles (lattice models: approximate)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{4000000000}))
      ->capture_default_str();
  forces->add_option("--theta", arguments->theta, fmt::format("opening angle (default: {})", arguments->force.theta))
      ->check(within_range_of("force.theta"));
  forces->add_option("--softening", arguments->softening, "Plummer softening, in the model's length unit (Mpc/h)")
      ->check(number_from_zero())
      ->capture_default_str();
  forces
      ->add_option(
          "--error", arguments->error,
          "acceleration to which errors are relative, total or peculiar; --mac relative then uses the same one")
      ->capture_default_str();
  forces->add_flag("--tune", arguments->tune,
                   "first search for the fastest sizes of groups and leaves, as long runs do");
  forces->add_flag("--shuffle", arguments->shuffle,
                   "random order of the particles before each evaluation; default: the order of the last one, sorted");
  forces->add_flag("--resident", arguments->resident,
                   "one GPU in a vacuum: particles and forces stay there; default: from host arrays to host arrays");
  forces
      ->add_option("--repeat,--repeats", arguments->repeats,
                   "evaluations after a warm-up: the fastest and the median are reported")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  forces->add_option("--grid", arguments->grid, "domains along x, y and z, e.g. 2,2,1 (default: chosen automatically)")
      ->delimiter(',')
      ->expected(3)
      ->check(whole_number(1))
      ->check(within_range_of("decomposition.grid"));
  forces->add_flag("--effective", arguments->effective, "count the original Barnes-Hut interactions as well");
  forces->callback([arguments] { run_bench(*arguments); });
  add_step_bench_command(*bench);
  add_direct_bench_command(*bench);
}

}  // namespace multiwalk
