#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "decomposition/agree.hpp"
#include "run/commands.hpp"
#include "run/direct_backend_choice.hpp"
#include "run/direct_bench.hpp"
#include "run/json_output.hpp"
#include "run/machine.hpp"
#include "run/ranks.hpp"
#include "run/version.hpp"

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
  omp_set_num_threads(threads);
  const DirectBackendChoice choice = choose_direct_backend(arguments.backend, arguments.devices, threads);
  nlohmann::json result = bench_direct(arguments.task, *choice.backend);
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
      "Direct summation over all pairs: maximum error and Gflop/s of every accumulation and splitting, beside the\n"
      "tables of Hamada & Iitaka (2007)");
  auto arguments = std::make_shared<DirectArguments>();
  DirectBenchTask& task = arguments->task;
  command->add_option("-n,--particles", task.particles, "numbers of bodies, e.g. 2048,131072")
      ->delimiter(',')
      ->check(CLI::Range(std::uint64_t{2}, std::uint64_t{4000000000}))
      ->capture_default_str();
  command->add_option("--backend", arguments->backend, "auto, cpu, cpu:INSTRUCTION_SET, cuda or direct")
      ->capture_default_str();
  command->add_option("--devices", arguments->devices, "CUDA device numbers (default: all)")->delimiter(',');
  command->add_option("--threads", arguments->threads, "OpenMP threads (default: all)")->check(CLI::NonNegativeNumber);
  command->add_option("--softening", task.softening, "Plummer softening, in Heggie & Mathieu units")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_flag("--jerk", task.jerk, "sum jerks as well (57 operations a pair)");
  command->add_option("--repeat,--repeats", task.repeats, "summations after a warm one; the fastest counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--sample", task.sample, "bodies whose forces are compared with double precision; 0: all")
      ->capture_default_str();
  command->add_option("--seed", task.seed, "of the spheres")->capture_default_str();
  command->add_option("--json", arguments->json, "write the figures to this file; -: to standard output");
  command->callback([arguments] { run_direct_bench(*arguments); });
}

}  // namespace multiwalk
