#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "run/commands.hpp"
#include "run/json_output.hpp"
#include "run/plan.hpp"

namespace multiwalk {

namespace {

constexpr double gib = 1024.0 * 1024 * 1024;

std::string duration(double seconds) {
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

void print_plan(const std::string& file, const std::vector<std::string>& settings, const std::string& json_file) {
  const Parameters parameters = read_parameters(file, settings);
  if (parameters.run.threads > 0) omp_set_num_threads(parameters.run.threads);
  const BackendChoice choice = choose_backend(parameters.run.backend, parameters.run.devices);
  const MemoryPlan memory = plan_memory(parameters, static_cast<int>(choice.devices.size()));
  const TimePlan time = plan_time(parameters, *choice.backend);
  if (json_file != "-") {
    fmt::print("particles           {}\n", memory.particles);
    fmt::print("memory, one rank    {:.3f} GiB while making initial conditions, {:.3f} GiB in a step\n",
               memory.initial_conditions / gib, memory.step / gib);
    if (memory.device > 0) fmt::print("memory, a device    {:.3f} GiB\n", memory.device / gib);
    fmt::print("a snapshot          {:.3f} GiB\n", memory.snapshot / gib);
    fmt::print("back end            {} ({})\n", choice.backend->description(), choice.why);
    fmt::print("speed               {:.3g} particles/s (a step on {} particles, measured now)\n",
               time.particles_per_second, time.sample);
    fmt::print("a step              {}\n", duration(time.seconds_per_step));
    fmt::print("steps               about {:.0f} (a guess within a factor of two: clustering is not known yet)\n",
               time.steps);
    fmt::print("run                 about {}\n", duration(time.steps * time.seconds_per_step));
  }
  write_json(json_file, {{"particles", memory.particles},
                         {"bytes",
                          {{"initial_conditions", memory.initial_conditions},
                           {"step", memory.step},
                           {"device", memory.device},
                           {"snapshot", memory.snapshot}}},
                         {"backend", choice.backend->name()},
                         {"particles_per_second", time.particles_per_second},
                         {"seconds_per_step", time.seconds_per_step},
                         {"steps", time.steps},
                         {"seconds", time.steps * time.seconds_per_step}});
}

}  // namespace

void add_plan_command(CLI::App& app) {
  struct Arguments {
    std::string parameters, json;
    std::vector<std::string> settings;
  };
  CLI::App* command = app.add_subcommand("plan", "Tell memory and time of a run before it is made");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("parameters", arguments->parameters, "parameter file (TOML)")->required();
  command->add_option("--set", arguments->settings, "override a parameter")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--json", arguments->json, "write the figures to this file (- for standard output)");
  command->callback([arguments] { print_plan(arguments->parameters, arguments->settings, arguments->json); });
}

}  // namespace multiwalk
