// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "decomposition/ranks/agree.hpp"
#include "run/bench/ring_model.hpp"
#include "run/commands/commands.hpp"
#include "run/commands/direct_options_cli.hpp"
#include "run/commands/options/number_checks.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_output.hpp"
#include "run/machine/program_ranks.hpp"
#include "run/pages/page.hpp"

namespace multiwalk {

namespace {

struct RingArguments {
  RingBenchTask task;
  DirectBenchOptions options;
};

void run_ring_bench(const RingArguments& arguments) {
  const DirectBenchOptions& options = arguments.options;
  const Communicator& comm = world_of_program();
  const DirectBackendChoice choice =
      choose_direct_backend(options.backend, options.devices, options.threads, many_pairs, comm);
  const int threads = options.set_threads(comm, threads_of_messages(choice, comm));
  nlohmann::json result = bench_ring(arguments.task, *choice.backend, comm);
  DirectBenchOptions::describe(result, *choice.backend, threads, comm);
  collectively(comm, [&] {
    if (!comm.root()) return;
    if (options.json != "-") fmt::print("back end {}\n{}", choice.backend->description(), ring_text(result));
    write_json(options.json, result);
    if (!options.html.empty()) write_file_atomically(options.html, page(PageKind::ring_bench, result));
  });
}

}  // namespace

void add_ring_bench_command(CLI::App& bench) {
  CLI::App* command = bench.add_subcommand(
      "ring",
      "Hermite steps by direct summation on the ring of ranks, over numbers of bodies and ranks, compared with the\n"
      "predictions of a model of measured parts (Schive et al. 2008, section 5)");
  auto arguments = std::make_shared<RingArguments>();
  RingBenchTask& task = arguments->task;
  arguments->options.add_to(*command, task.particles, task.softening);
  command->add_option("--ranks", task.ranks, "numbers of ranks to use (default: 1, 2, 4, ... and all)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--steps", task.steps, "number of timed steps; the fastest counts")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->callback([arguments] { run_ring_bench(*arguments); });
}

}  // namespace multiwalk
