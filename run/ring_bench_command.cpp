#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "decomposition/agree.hpp"
#include "run/atomic_file.hpp"
#include "run/commands.hpp"
#include "run/direct_backend_choice.hpp"
#include "run/json_output.hpp"
#include "run/machine.hpp"
#include "run/ranks.hpp"
#include "run/ring_model.hpp"
#include "run/version.hpp"

namespace multiwalk {

namespace {

struct RingArguments {
  RingBenchTask task;
  std::string backend = "auto";
  std::vector<int> devices;
  int threads = 0;
  std::string json, html;
};

void run_ring_bench(const RingArguments& arguments) {
  const Communicator& comm = world_of_program();
  const int threads = arguments.threads > 0 ? arguments.threads : default_threads(comm);
  omp_set_num_threads(threads);
  const DirectBackendChoice choice =
      choose_direct_backend(arguments.backend, arguments.devices, threads, many_pairs, comm);
  nlohmann::json result = bench_ring(arguments.task, *choice.backend, comm);
  result["version"] = version_short();
  result["machine"] = machine_description(comm);
  result["backend"] = choice.backend->name();
  result["backend_description"] = choice.backend->description();
  result["threads"] = threads;
  together(comm, [&] {
    if (!comm.root()) return;
    if (arguments.json != "-") fmt::print("back end {}\n{}", choice.backend->description(), ring_text(result));
    write_json(arguments.json, result);
    if (!arguments.html.empty()) write_file_atomically(arguments.html, ring_page(result));
  });
}

}  // namespace

void add_ring_bench_command(CLI::App& bench) {
  CLI::App* command = bench.add_subcommand(
      "ring",
      "Hermite steps by direct summation on the ring of ranks, over numbers of bodies and ranks, beside what a model\n"
      "of measured parts predicts (Schive et al. 2008, section 5)");
  auto arguments = std::make_shared<RingArguments>();
  RingBenchTask& task = arguments->task;
  command->add_option("-n,--particles", task.particles, "numbers of bodies")
      ->delimiter(',')
      ->check(CLI::Range(std::uint64_t{2}, std::uint64_t{4000000000}))
      ->capture_default_str();
  command->add_option("--ranks", task.ranks, "of the job's ranks so many (default: 1, 2, 4, ... and all)")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  command->add_option("--backend", arguments->backend, "auto, cpu, cpu:INSTRUCTION_SET, cuda or direct")
      ->capture_default_str();
  command->add_option("--devices", arguments->devices, "CUDA device numbers (default: all)")->delimiter(',');
  command->add_option("--threads", arguments->threads, "OpenMP threads of a rank (default: its share)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--softening", task.softening, "Plummer softening")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--steps", task.steps, "to be timed")->check(CLI::Range(1, 100000))->capture_default_str();
  command->add_option("--json", arguments->json, "write the figures to this file; -: to standard output");
  command->add_option("--html", arguments->html, "write charts and the table to this page");
  command->callback([arguments] { run_ring_bench(*arguments); });
}

}  // namespace multiwalk
