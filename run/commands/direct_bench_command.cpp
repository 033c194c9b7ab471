// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "decomposition/ranks/agree.hpp"
#include "run/backends/direct_backend.hpp"
#include "run/bench/direct_bench.hpp"
#include "run/commands/commands.hpp"
#include "run/commands/options/file_options.hpp"
#include "run/commands/options/number_checks.hpp"
#include "run/files/json_output.hpp"
#include "run/machine/machine.hpp"
#include "run/machine/program_ranks.hpp"
#include "run/machine/version.hpp"

namespace multiwalk {

namespace {

struct DirectArguments {
  DirectBenchTask task;
  std::string backend = "auto";
  std::vector<int> devices;
  int threads = 0;
  std::string json;
};

void run_direct_bench(const DirectArguments& arguments) {
  const Communicator& comm = world_of_program();
  if (!comm.alone()) throw SharedError("bench direct measures one rank: start it without mpiexec");
  const int threads = arguments.threads > 0 ? arguments.threads : default_threads(comm);
  use_threads(threads, "--threads");
  const DirectBackendChoice choice = choose_direct_backend(arguments.backend, arguments.devices, threads);
  nlohmann::json result =
      bench_direct(arguments.task, *choice.backend, [](const std::string& what) { fmt::print(stderr, "{}\n", what); });
  result["version"] = version_short();
  result["machine"] = machine_description(comm);
  result["backend"] = choice.backend->name();
  result["backend_description"] = choice.backend->description();
  result["threads"] = threads;
  if (arguments.json != "-") {
    fmt::print("back end {} ({})\n{}", choice.backend->description(), choice.why, direct_bench_text(result));
  }
  write_json(arguments.json, result);
}

}  // namespace

void add_direct_bench_command(CLI::App& bench) {
  CLI::App* command = bench.add_subcommand(
      "direct",
      "Direct summation over all pairs: maximum error and Gflop/s of every accumulation and splitting, compared\n"
      "with the tables of Hamada & Iitaka (2007)");
  auto arguments = std::make_shared<DirectArguments>();
  DirectBenchTask& task = arguments->task;
  command->add_option("-n,--particles", task.particles, "numbers of bodies, e.g. 2048,131072")
      ->delimiter(',')
      ->check(CLI::Range(std::uint64_t{2}, std::uint64_t{4000000000}))
      ->capture_default_str();
  command->add_option("--backend", arguments->backend, "auto, cpu, cpu:INSTRUCTION_SET, cuda or direct")
      ->capture_default_str();
  command->add_option("--devices", arguments->devices, "CUDA device number (default: the first that works)")
      ->delimiter(',')
      ->check(within_range_of("run.devices"));
  command->add_option("--threads", arguments->threads, "OpenMP threads (default: those of the machine)")
      ->check(whole_number())
      ->check(within_range_of("run.threads"));
  command->add_option("--softening", task.softening, "Plummer softening, in Heggie & Mathieu units")
      ->check(number_from_zero())
      ->capture_default_str();
  add_json_output(*command, arguments->json);
  command->add_flag("--jerk", task.jerk, "sum jerks as well (57 operations per pair)");
  command->add_option("--repeat,--repeats", task.repeats, "summations after a warm-up; the fastest counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      ->add_option("--in-a-row", task.in_a_row,
                   "times that a GPU evaluates the pairs without waiting in between; its kernel's time is the mean")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_option("--sample", task.sample, "bodies whose forces are compared with double precision, or all")
      ->transform(sample_size(1))
      ->capture_default_str();
  command->add_option("--seed", task.seed, "seed of the spheres")->check(whole_number())->capture_default_str();
  command->callback([arguments] { run_direct_bench(*arguments); });
}

}  // namespace multiwalk
