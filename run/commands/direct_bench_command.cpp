// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "decomposition/ranks/agree.hpp"
#include "host/direct/pair_counts.hpp"
#include "run/bench/direct_scan.hpp"
#include "run/commands/commands.hpp"
#include "run/commands/direct_options_cli.hpp"
#include "run/commands/options/number_checks.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_output.hpp"
#include "run/machine/program_ranks.hpp"
#include "run/pages/page.hpp"

namespace multiwalk {

namespace {

struct DirectArguments {
  DirectScanTask task;
  DirectBenchOptions options;
  bool scan = false;
};

const Tell to_standard_error = [](const std::string& what) { fmt::print(stderr, "{}\n", what); };

nlohmann::json run_scan(const DirectArguments& arguments, const DirectBackendChoice& choice, int threads) {
  const DirectBenchTask& bench = arguments.task.bench;
  const std::string& name = arguments.options.backend;
  nlohmann::json result =
      choice.devices.empty()
          ? scan_cpu(arguments.task, name.starts_with("cpu:") ? name.substr(4) : "", threads, to_standard_error)
          : scan_device(arguments.task, choice.devices.front(), to_standard_error);
  result["softening2"] = bench.softening * bench.softening;
  result["operations_per_pair"] = operations_of_pair(false);
  return result;
}

void run_direct_bench(const DirectArguments& arguments) {
  const DirectBenchOptions& options = arguments.options;
  const Communicator& comm = world_of_program();
  if (!comm.alone()) throw SharedError("bench direct measures one rank: start it without mpiexec");
  const int threads = options.set_threads(comm);
  const DirectBackendChoice choice = choose_direct_backend(options.backend, options.devices, threads);
  nlohmann::json result = arguments.scan ? run_scan(arguments, choice, threads)
                                         : bench_direct(arguments.task.bench, *choice.backend, to_standard_error);
  DirectBenchOptions::describe(result, *choice.backend, threads, comm);
  if (options.json != "-") {
    fmt::print("back end {} ({})\n{}", choice.backend->description(), choice.why,
               arguments.scan ? direct_scan_text(result) : direct_bench_text(result));
  }
  write_json(options.json, result);
  if (!options.html.empty()) write_file_atomically(options.html, page(PageKind::direct_scan, result));
}

}  // namespace

void add_direct_bench_command(CLI::App& bench) {
  CLI::App* command = bench.add_subcommand(
      "direct",
      "Direct summation over all pairs: maximum error and Gflop/s of every accumulation and splitting, compared\n"
      "with the tables of Hamada & Iitaka (2007); or scans of what limits the speed");
  auto arguments = std::make_shared<DirectArguments>();
  DirectScanTask& task = arguments->task;
  arguments->options.add_to(*command, task.bench.particles, task.bench.softening);
  CLI::Option* const jerk = command->add_flag("--jerk", task.bench.jerk, "sum jerks as well (57 operations per pair)");
  command->add_option("--repeat,--repeats", task.bench.repeats, "summations after a warm-up; the fastest counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      ->add_option("--in-a-row", task.bench.in_a_row,
                   "times that a GPU evaluates the pairs without waiting in between; its kernel's time is the mean")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_option("--sample", task.bench.sample, "bodies whose forces are compared with double precision, or all")
      ->transform(sample_size(1))
      ->capture_default_str();
  command->add_option("--seed", task.bench.seed, "seed of the spheres")->check(whole_number())->capture_default_str();
  CLI::Option* const scan =
      command
          ->add_flag("--scan", arguments->scan,
                     "scan instead: on a GPU the strategies of direct summation, the sizes of grids and blocks and of\n"
                     "messages (Schive et al. 2008); on the CPU loops, accumulations and threads")
          ->excludes(jerk);
  command->get_option("--html")->needs(scan);
  command->add_option("--longest", task.longest, "seconds: a scan leaves out summations that would take longer")
      ->needs(scan)
      ->check(positive_number())
      ->check(number_between(0, 1e6))
      ->capture_default_str();
  command->add_option("--block-sizes", task.block_sizes, "numbers of threads per block")
      ->needs(scan)
      ->delimiter(',')
      ->check(CLI::Range(32U, 1024U))
      ->capture_default_str();
  command->add_option("--grid-sizes", task.grid_sizes, "numbers of blocks per grid")
      ->needs(scan)
      ->delimiter(',')
      ->check(whole_number(1))
      ->check(number_between(1, 2147483647))
      ->capture_default_str();
  command->callback([arguments] { run_direct_bench(*arguments); });
}

}  // namespace multiwalk
