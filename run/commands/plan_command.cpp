// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

#include "host/base/error.hpp"
#include "host/base/peak_memory.hpp"
#include "run/backends/device_advice.hpp"
#include "run/backends/tree_backend.hpp"
#include "run/commands/commands.hpp"
#include "run/commands/force_options_cli.hpp"
#include "run/commands/options/file_options.hpp"
#include "run/commands/options/unsaid_option.hpp"
#include "run/files/json_output.hpp"
#include "run/files/number_text.hpp"
#include "run/formats/file_set.hpp"
#include "run/formats/gadget_file.hpp"
#include "run/machine/machine.hpp"
#include "run/parameters/sections/force.hpp"
#include "run/plan/planned_model.hpp"
#include "run/plan/rank_plan.hpp"
#include "run/plan/run_size.hpp"

namespace multiwalk {

namespace {

constexpr double gib = 1024.0 * 1024 * 1024;

/// The options that an accuracy chooses; empty in a vacuum.
std::string forces_text(const std::optional<BoxForces>& forces) {
  if (!forces) return "";
  return fmt::format(
      "forces              mesh {}^3{}, split at {:.4g} Mpc/h, pairs up to {:.4g} Mpc/h, walks: mac {}, alpha {:g}\n",
      forces->mesh.cells, forces->mesh.interlacing ? " interlaced" : "", forces->split.scale, forces->split.cutoff,
      mac_name(forces->walks.mac), forces->walks.alpha);
}

nlohmann::json forces_json(const std::optional<BoxForces>& forces) {
  if (!forces) return nullptr;
  return {{"mesh", forces->mesh.cells},         {"interlacing", forces->mesh.interlacing},
          {"split_scale", forces->split.scale}, {"cutoff", forces->split.cutoff},
          {"mac", mac_name(forces->walks.mac)}, {"alpha", forces->walks.alpha},
          {"theta", forces->walks.theta}};
}

/// The back end on which times are measured: the CPU for a run on GPUs if no GPU works, as on a cluster's front end.
struct PlanBackend {
  BackendChoice choice;
  RunShape shape;      ///< of the run on one rank
  std::string remark;  ///< a line; empty if it is as asked

  explicit PlanBackend(const Parameters& parameters) {
    const RunParameters& run = parameters.run;
    if (run.threads > 0) use_threads(run.threads, "run.threads");
    const bool on_gpus = run.backend.starts_with("cuda"), lacks_them = on_gpus && working_devices().empty();
    const ExpectedForces expected{.particles = static_cast<double>(planned_particles(parameters)),
                                  .walks = asked_walks(run.backend, run.walks)};
    choice = choose_backend(lacks_them ? "auto" : run.backend, run.devices, expected);
    shape.devices = static_cast<int>(choice.devices.size());
    shape.device_walks = choice.backend->device_walker() != nullptr;
    shape.program = static_cast<double>(peak_memory());
    if (!lacks_them) return;
    shape.devices = std::max(1, static_cast<int>(run.devices.size()));
    shape.device_walks = choose_walks({expected.walks, expected.particles, 1, shape.devices}).by_devices;
    remark = "note                the run is for a GPU and memory is planned for it, but times are this CPU's\n";
  }

  /// A line about the number of GPUs; empty if there is nothing to say.
  [[nodiscard]] std::string advice(const Parameters& parameters) const {
    const std::string text = device_advice(choice.metered, parameters.run.devices, {});
    return text.empty() ? "" : "GPUs                " + text + "\n";
  }
};

/// Whether the run fits here.
std::string room_text(const Parameters& parameters, const PlanBackend& backend, const MemoryPlan& plan) {
  const MemoryRoom room = memory_room({});
  const auto grid = has_grid(parameters) ? largest_grid(parameters, backend.shape, room.bytes) : std::nullopt;
  return fmt::format("memory here         {}{}{}\n", room.whose, plan.peak() > room.bytes ? ": too little" : "",
                     grid ? fmt::format("; the largest ic.grid that fits is {}", *grid) : "");
}

std::string steps_text(const ExpectedSteps& expected, bool blocks) {
  const char* const what = blocks ? "blocks of steps" : "steps";
  const std::string forces = blocks ? fmt::format(", {:.0f} evaluations of all forces", expected.evaluations) : "";
  return fmt::format("steps               {}{:.0f} {}{}{}\n", expected.limited ? "" : "about ", expected.steps, what,
                     forces, expected.limited ? " (time.max_steps)" : "");
}

void print_plan(const Parameters& parameters, const std::string& json_file) {
  const PlanBackend backend(parameters);
  const BackendChoice& choice = backend.choice;
  const MemoryPlan memory = plan_memory(parameters, backend.shape);
  const TimePlan time = plan_time(parameters, *choice.backend);
  const std::optional<BoxForces> forces = planned_box_forces(parameters);
  if (json_file != "-") {
    fmt::print("particles           {}\n", memory.particles);
    fmt::print("memory, one rank    {:.3f} GiB at peak\n", memory.peak() / gib);
    fmt::print("  the program       {:.3f} GiB\n", memory.program / gib);
    fmt::print("  before the run    {:.3f} GiB (making initial conditions)\n", memory.initial_conditions / gib);
    fmt::print("  a step or output  {:.3f} GiB\n", memory.step / gib);
    if (memory.device > 0) fmt::print("memory, a device    {:.3f} GiB\n", memory.device / gib);
    if (memory.not_kept > 0)
      fmt::print("  or, less fast     {:.3f} GiB, if particles return to the host\n", memory.not_kept / gib);
    fmt::print("{}", room_text(parameters, backend, memory));
    fmt::print("a snapshot          {:.3f} GiB\n", snapshot_bytes(memory.particles) / gib);
    fmt::print("{}", forces_text(forces));
    fmt::print("back end            {} ({})\n{}", choice.backend->description(), choice.why, backend.remark);
    fmt::print("{}", backend.advice(parameters));
    fmt::print("speed               {:.3g} particles/s (fastest of 3 steps on {} particles, measured now)\n",
               time.particles_per_second, time.model->particle_count());
    fmt::print("interactions        {}\n", mean_list_text(time.list));
    fmt::print("a step              {}\n", duration(time.seconds_per_step));
    fmt::print("{}", steps_text(time.expected, takes_block_steps(parameters, planned_period(parameters) > 0)));
    fmt::print("run                 about {}\n", duration(time.seconds()));
  }
  write_json(json_file, {{"particles", memory.particles},
                         {"bytes",
                          {{"peak", memory.peak()},
                           {"program", memory.program},
                           {"initial_conditions", memory.initial_conditions},
                           {"step", memory.step},
                           {"device", memory.device},
                           {"device_not_kept", memory.not_kept},
                           {"snapshot", snapshot_bytes(memory.particles)}}},
                         {"forces", forces_json(forces)},
                         {"backend", choice.backend->name()},
                         {"particles_per_second", time.particles_per_second},
                         {"pairs_per_particle", mean_list_json(time.list)},
                         {"seconds_per_step", time.seconds_per_step},
                         {"steps", time.expected.steps},
                         {"evaluations", time.expected.evaluations},
                         {"seconds", time.seconds()}});
}

struct PlanArguments {
  std::string file, json;
  std::vector<std::string> settings;
  int ranks = 0;
};

bool is_snapshot(const std::string& named) {
  const std::string path = first_of_set(named);
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  std::array<char, signature.size()> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  if (std::string_view(head.data(), head.size()) == signature) return true;
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && GadgetFile::is_one(path);
}

/// For a parameter file, or for a run that would start from a snapshot.
Parameters parameters_of(const PlanArguments& arguments) {
  if (!is_snapshot(arguments.file)) {
    const Parameters parameters = read_parameters(arguments.file, arguments.settings);
    if (is_direct(parameters))
      throw InputError(arguments.file + ": plan is for runs with trees; see `multiwalk bench direct`");
    return parameters;
  }
  std::vector<std::string> settings{"model.kind=file", "model.file=" + arguments.file};
  settings.insert(settings.end(), arguments.settings.begin(), arguments.settings.end());
  return parse_parameters("", arguments.file, settings);
}

void print_rank_plan(const PlanArguments& arguments) {
  const Parameters parameters = parameters_of(arguments);
  const PlanBackend backend(parameters);
  if (backend.choice.backend->all_pairs())
    throw InputError("run.backend = \"" + parameters.run.backend + "\" is for one rank: there is nothing to plan");
  const RankPlan plan = plan_ranks(parameters, backend.shape, arguments.ranks, *backend.choice.backend);
  if (arguments.json != "-") fmt::print("{}{}", rank_plan_text(plan), backend.remark);
  write_json(arguments.json, rank_plan_json(plan));
}

}  // namespace

void add_plan_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("plan", "Estimate memory and time of a run in advance, on one rank or many");
  auto arguments = std::make_shared<PlanArguments>();
  command->add_option("file", arguments->file, "parameter file (TOML) or snapshot")->required();
  add_settings(*command, arguments->settings, "override a parameter");
  add_json_output(*command, arguments->json);
  command
      ->add_option("--ranks", arguments->ranks, "domains, memory and seconds on 8, 16, 32, ... up to this many ranks")
      ->check(CLI::Range(1, 1 << 20));
  command->callback([arguments] {
    if (arguments->ranks > 0) {
      print_rank_plan(*arguments);
    } else {
      print_plan(parameters_of(*arguments), arguments->json);
    }
  });
}

}  // namespace multiwalk
