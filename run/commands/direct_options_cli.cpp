// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/commands/direct_options_cli.hpp"

#include <omp.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "run/commands/options/file_options.hpp"
#include "run/commands/options/number_checks.hpp"
#include "run/machine/machine.hpp"
#include "run/machine/version.hpp"

namespace multiwalk {

void DirectBenchOptions::add_to(CLI::App& command, std::vector<std::uint64_t>& particles, double& softening) {
  command.add_option("-n,--particles", particles, "numbers of bodies, e.g. 2048,131072")
      ->delimiter(',')
      ->check(CLI::Range(std::uint64_t{2}, std::uint64_t{4000000000}))
      ->capture_default_str();
  command.add_option("--backend", backend, "auto, cpu, cpu:INSTRUCTION_SET, cuda or direct")->capture_default_str();
  command.add_option("--devices", devices, "CUDA device numbers (default: one per rank)")
      ->delimiter(',')
      ->check(within_range_of("run.devices"));
  command.add_option("--threads", threads, "OpenMP threads of a rank (default: its share of the machine)")
      ->check(whole_number())
      ->check(within_range_of("run.threads"));
  command.add_option("--softening", softening, "Plummer softening, in Heggie & Mathieu units")
      ->check(number_from_zero())
      ->capture_default_str();
  add_json_output(command, json);
  add_output(command, "--html", html, "write charts and tables to this page", html_names);
}

int DirectBenchOptions::set_threads(const Communicator& comm, int others) const {
  const int used = threads > 0 ? threads : default_threads(comm, others);
  use_threads(used, "--threads");
  return used;
}

void DirectBenchOptions::describe(nlohmann::json& result, const DirectBackend& used, int used_threads,
                                  const Communicator& comm) {
  result["version"] = version_short();
  result["machine"] = machine_description(comm);
  result["backend"] = used.name();
  result["backend_description"] = used.description();
  result["threads"] = used_threads;
}

}  // namespace multiwalk
