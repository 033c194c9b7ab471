// SPDX-License-Identifier: GPL-3.0-or-later
// ic and info: making and examining snapshots.
#include <omp.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <memory>

#include "decomposition/ranks/agree.hpp"
#include "run/backends/tree_backend.hpp"
#include "run/commands/commands.hpp"
#include "run/commands/options/file_options.hpp"
#include "run/commands/options/unsaid_option.hpp"
#include "run/evolve/force_range.hpp"
#include "run/evolve/model_bodies.hpp"
#include "run/evolve/simulation.hpp"
#include "run/files/json_output.hpp"
#include "run/files/partial_file.hpp"
#include "run/files/printable.hpp"
#include "run/machine/machine.hpp"
#include "run/machine/memory_room.hpp"
#include "run/machine/program_ranks.hpp"
#include "run/outputs/snapshot_output.hpp"
#include "run/parameters/parameters.hpp"
#include "run/plan/planned_model.hpp"
#include "run/plan/run_size.hpp"
#include "run/records/ic_progress.hpp"
#include "run/snapshots/snapshot.hpp"
#include "run/snapshots/snapshot_checksum.hpp"

namespace multiwalk {

namespace {

/// The extension of a snapshot file name, which the writer adds to the stem.
std::string_view extension_of(std::string_view file) {
  for (const std::string_view extension : {".hdf5", ".h5"}) {
    if (file.size() > extension.size() && file.ends_with(extension)) return extension;
  }
  return "";
}

using WriteSystem = std::function<void(const ParticleSystem&, SnapshotOptions)>;

/// Adds the accelerations with which a run would begin.
void write_with_forces(const Parameters& parameters, ParticleSystem system, const Communicator& comm,
                       const WriteSystem& write) {
  require_force_range(system, model_name(parameters), comm);
  const RunParameters& run = parameters.run;
  const ExpectedForces expected{
      .particles = static_cast<double>(comm.sum(static_cast<std::uint64_t>(system.particles.size()))),
      .walks = run.walks};
  const BackendChoice choice = choose_backend(run.backend, run.devices, expected, comm);
  if (!choice.devices.empty()) system.particles.reallocate();
  collectively(comm, [&] { require_boundary(system, *choice.backend); });
  Simulation simulation(parameters, std::move(system), *choice.backend, comm);
  simulation.start();
  SnapshotOptions options = snapshot_options(parameters, simulation.uncapped_softening());
  options.accelerations = true;
  options.background = simulation.background();
  write(simulation.on_host(), std::move(options));
}

void make_initial_conditions(const std::string& parameter_file, const std::vector<std::string>& settings,
                             const std::string& output) {
  const Communicator& comm = world_of_program();
  omp_set_num_threads(default_threads(comm));
  collectively(comm, [&] { require_file_name(output); });
  Parameters parameters = read_parameters(parameter_file, settings, comm);
  parameters.power = collectively(comm, [&] { return power_facts(parameters); });
  if (parameters.model.kind == ModelKind::file)
    throw SharedError("ic: model.kind = \"file\" has no initial conditions to make");
  if (is_direct(parameters)) {
    throw SharedError(
        "ic does not make the bodies of direct summation: `multiwalk run` with output.times = [0] writes them");
  }
  RunShape shape = planned_shape(parameters, comm.size());
  shape.only_begins = true;
  const MemoryRoom room = memory_room(comm);
  const std::string warning = text_from_root(comm, [&] {
    std::string near = judge_run_memory(parameters, shape, room);
    require_disk(output, snapshot_bytes(planned_particles(parameters)));
    return near;
  });
  if (comm.root()) warn_on_stderr(warning);
  IcProgress making([&](const std::string& text) {
    if (comm.root()) std::fprintf(stderr, "%s\n", printable(text).c_str());
  });
  const auto tell = [&](const std::string& part, double fraction) { making.report(part, fraction); };
  ParticleSystem made = make_tree_particles(parameters, tell, comm);
  making.finish();
  const std::string_view extension = extension_of(output);
  const std::string stem = output.substr(0, output.size() - extension.size());
  const WriteSystem write = [&](const ParticleSystem& system, SnapshotOptions options) {
    options.run["step"] = std::int64_t{0};
    if (!extension.empty()) options.extension = extension;
    const auto particles = comm.sum(static_cast<std::uint64_t>(system.particles.size()));
    for (const std::string& path : write_snapshot(stem, system, parameters.cosmology, options, comm)) {
      if (comm.root()) {
        std::printf("%s: %llu particles\n", printable(path).c_str(), static_cast<unsigned long long>(particles));
      }
    }
  };
  if (parameters.output.accelerations) {
    write_with_forces(parameters, std::move(made), comm, write);
  } else {
    write(made, snapshot_options(parameters, resolve_softening(parameters, made, comm)));
  }
}

/// Values that the system does not have are left out.
nlohmann::json info_json(const std::string& path, const SnapshotInfo& info) {
  const bool comoving = info.system.frame == Frame::comoving, periodic = info.system.boundary == Boundary::periodic;
  nlohmann::json json{{"file", path},
                      {"layout", info.layout},
                      {"files", info.files},
                      {"particles", info.particles},
                      {"frame", comoving ? "comoving" : "newtonian"},
                      {"boundary", periodic ? "periodic" : "vacuum"},
                      {"time", info.system.time},
                      {"mean_spacing", info.system.spacing}};
  if (periodic) json["box_size"] = info.system.box_size;
  if (info.system.sphere_radius > 0) json["sphere_radius"] = info.system.sphere_radius;
  if (comoving) {
    json["redshift"] = 1 / info.system.time - 1;
    json["omega_m"] = info.cosmology.omega_m;
    json["omega_lambda"] = info.cosmology.omega_lambda;
    json["h"] = info.cosmology.h;
  }
  return json;
}

struct InfoArguments {
  std::string snapshot, json;
  UnsaidOption unsaid;
  bool check = false;
};

void print_info(const InfoArguments& arguments) {
  const Communicator& comm = world_of_program();
  const std::string &path = arguments.snapshot, &json_file = arguments.json;
  const bool check = arguments.check;
  const Unsaid unsaid = arguments.unsaid.resolve(comm);
  const SnapshotInfo info = check ? read_snapshot(path, comm, unsaid, RepeatedIds::warned_of)
                                  : collectively(comm, [&] { return read_snapshot_info(path, unsaid); });
  warn_of_contents(info, path, comm);
  nlohmann::json json = info_json(path, info);
  if (check) {
    json["checksum"] = ordered_checksum(info.system.particles, comm);
    json["set_checksum"] = set_checksum(info.system.particles, comm);
  }
  collectively(comm, [&] {
    if (!comm.root()) return;
    if (json_file != "-") {
      for (const auto& [key, value] : json.items()) {
        std::printf("%-14s %s\n", key.c_str(), printable(plain_text(value)).c_str());
      }
    }
    write_json(json_file, json);
  });
}

}  // namespace

void add_ic_command(CLI::App& app) {
  struct Arguments {
    std::string parameters, output;
    std::vector<std::string> settings;
  };
  CLI::App* command = app.add_subcommand("ic", "Make initial conditions and write them as a snapshot");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("parameters", arguments->parameters, "parameter file (TOML)")->required();
  add_output(*command, "-o,--output", arguments->output, "snapshot to write, e.g. ic.hdf5", hdf5_names)->required();
  add_settings(*command, arguments->settings, "override a parameter, e.g. --set ic.grid=128");
  command->callback(
      [arguments] { make_initial_conditions(arguments->parameters, arguments->settings, arguments->output); });
}

void add_info_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("info", "Show the contents of a snapshot");
  auto arguments = std::make_shared<InfoArguments>();
  command->add_option("snapshot", arguments->snapshot, "snapshot file")->required();
  arguments->unsaid.add_to(*command);
  command->add_flag("--check", arguments->check, "also read and check every particle, and print a checksum of all");
  add_json_output(*command, arguments->json);
  command->callback([arguments] { print_info(*arguments); });
}

}  // namespace multiwalk
