// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/setup/run_setup.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "host/cosmology/growth.hpp"
#include "ic/models/model.hpp"
#include "ic/models/realisation.hpp"
#include "ic/power/linear_power.hpp"
#include "run/backends/device_advice.hpp"
#include "run/evolve/bodies_file.hpp"
#include "run/evolve/force_range.hpp"
#include "run/evolve/measurement_budget.hpp"
#include "run/evolve/model_bodies.hpp"
#include "run/evolve/simulation.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/command_files.hpp"
#include "run/files/json_input.hpp"
#include "run/machine/memory_limit.hpp"
#include "run/parameters/parameter_checks.hpp"
#include "run/parameters/parameter_table.hpp"
#include "run/plan/planned_model.hpp"
#include "run/records/finished_run.hpp"
#include "run/records/run_record.hpp"
#include "run/setup/restart_settings.hpp"
#include "run/setup/run_identity.hpp"
#include "run/setup/size_check.hpp"
#include "run/snapshots/checkpoint.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

namespace fs = std::filesystem;

namespace {

OutputSchedule schedule_from(const Parameters& parameters, Frame frame, double first_time) {
  return frame == Frame::comoving ? OutputSchedule::comoving(parameters, first_time)
                                  : OutputSchedule::newtonian(parameters, first_time);
}

void require_same_universe(const Parameters& now, const Parameters& then, const std::string& directory) {
  if (is_same_universe(now, then)) return;
  throw InputError("--restart " + directory +
                   ": [model], [cosmology] or [ic] differ from the checkpoint's; only other sections may change");
}

/// Checked before the run directory is touched.
void check_grid(const DecompositionParameters& decomposition, int ranks) {
  const std::vector<int>& grid = decomposition.grid;
  const auto domains = std::accumulate(grid.begin(), grid.end(), std::int64_t{1}, std::multiplies<>{});
  if (grid.empty() || domains == ranks) return;
  throw InputError(fmt::format("decomposition.grid = [{}] makes {} domains, but there are {} ranks",
                               fmt::join(grid, ", "), domains, ranks));
}

/// A checkpoint has a file of rank 0; parts without it are left over from an interrupted writing.
bool has_checkpoint(const std::string& directory) {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("checkpoint_") && name.ends_with(".mwc") && name.find(".part") == std::string::npos)
      return true;
  }
  return false;
}

/// A finished run without a checkpoint would start from the beginning and replace its own outputs.
void refuse_finished_run(const std::string& directory) {
  if (!end_of_finished_run(directory)) return;
  throw InputError("--restart " + directory +
                   ": the run is finished and left no checkpoint (run.final_checkpoint = false): start a new run from "
                   "its last snapshot (model.file), or repeat it without --restart");
}

std::string idle_warning(const Parameters& asked, const Parameters& used, const ParticleSystem& system) {
  const std::string idle = idle_settings(asked, used, system);
  return idle.empty() ? "" : "no effect in this run: " + idle;
}

/// The parameters of the run in the directory, from the file that it wrote before its first step; empty if that is
/// gone.
std::string echoed_text(const std::string& directory, const Communicator& comm) {
  const std::string file = directory + "/parameters.toml";
  return text_from_root(comm, [&] { return fs::exists(file) ? read_whole_file(file) : std::string(); });
}

/// Refuses a checkpoint that another run left or that was copied here.
void require_own_checkpoint(const Parameters& echoed, const Parameters& then, const std::string& directory,
                            std::uint64_t step) {
  if (is_same_universe(echoed, then)) return;
  throw InputError(fmt::format(
      "--restart {}: its newest checkpoint (step {}) belongs to another run than its parameters.toml: [model], "
      "[cosmology] or [ic] differ; move the one that does not belong to this run out of the directory",
      directory, step));
}

nlohmann::json state_of(const Checkpoint& checkpoint, const std::string& directory) {
  std::string writer;
  try {
    nlohmann::json state = parse_json(checkpoint.state, "state");
    state.at("first_time").get<double>();
    static_cast<void>(state.value("linear_power", PowerFacts{}));
    if (state.contains("record")) writer = writer_of_other_format(state["record"]);
    if (writer.empty()) return state;
  } catch (const nlohmann::json::exception&) {
  } catch (const InputError&) {
  }
  if (!writer.empty()) {
    throw InputError(
        fmt::format("--restart {}: its newest checkpoint (step {}) was written by {}, whose record has another format: "
                    "continue the "
                    "run with that version",
                    directory, checkpoint.step, writer));
  }
  throw InputError(
      fmt::format("--restart {}: the state of the run in its newest checkpoint (step {}) is damaged or of another "
                  "version of the program",
                  directory, checkpoint.step));
}

/// Errors of forces are measured as before, unless other samples are asked for.
void inherit_samples(Parameters& parameters, const Parameters& then) {
  if (parameters.given.contains("output.error_sample")) return;
  parameters.output.error_sample = then.output.error_sample;
  if (parameters.given.contains("output.final_error_sample")) return;
  parameters.output.final_error_sample = then.output.final_error_sample;
}

RunSetup set_up_again(const RunRequest& request, const Communicator& comm) {
  std::string warning;
  const std::string asked = echoed_text(request.restart, comm);
  collectively(comm, [&] {
    if (comm.root()) require_one_run(request.restart, run_id_of(asked));
  });
  Checkpoint checkpoint = read_newest_checkpoint(request.restart, warning, comm);
  std::optional<Parameters> given;
  if (!request.parameter_file.empty()) given = read_parameters(request.parameter_file, request.settings, comm);
  return collectively(comm, [&]() -> RunSetup {
    const Parameters then = parse_parameters(checkpoint.parameters, "checkpoint");
    std::optional<Parameters> echoed;
    if (!asked.empty()) echoed = parse_parameters(asked, request.restart + "/parameters.toml");
    if (echoed) require_own_checkpoint(*echoed, then, request.restart, checkpoint.step);
    Parameters parameters = given ? *given : parse_parameters(checkpoint.parameters, "checkpoint", request.settings);
    settle_table(parameters, then);
    require_same_universe(parameters, then, request.restart);
    if (is_direct(parameters) != checkpoint.direct.has_value()) {
      throw InputError("--restart " + request.restart + ": a run cannot change between tree and direct summation");
    }
    inherit_samples(parameters, then);
    if (!parameters.given.contains("output.census_epochs")) parameters.output.census_epochs = then.output.census_epochs;
    parameters.cosmology = then.cosmology;
    parameters.run.directory = request.restart;
    warning = joined(warning, settings_warning(then, echoed, parameters));
    nlohmann::json state = state_of(checkpoint, request.restart);
    const double first_time = state.at("first_time");
    if (state.contains("linear_power")) parameters.power = state["linear_power"].get<PowerFacts>();
    OutputSchedule schedule = schedule_from(parameters, checkpoint.system.frame, first_time);
    warning = joined(warning, idle_warning(parameters, parameters, checkpoint.system));
    RunSetup setup{std::move(parameters), std::move(checkpoint.system),
                   std::move(schedule),   first_time,
                   std::move(state),      std::move(warning)};
    setup.other_end = changed_settings(then, setup.parameters, SettingsOf::end);
    if (checkpoint.direct) setup.direct = std::move(*checkpoint.direct);
    setup.blobs = std::move(checkpoint.blobs);
    setup.run_id = run_id_of(asked);  // empty if the file is missing or was written again by somebody else
    if (setup.run_id.empty()) setup.run_id = run_id_of(checkpoint.parameters);
    const std::optional<RunEnd> end = end_of_finished_run(request.restart);
    setup.finished = end && setup.schedule.last() <= std::min(end->time, setup.system.time);
    return setup;
  });
}

void refuse_to_remove_input(Parameters parameters) {
  const std::string directory = parameters.run.directory;
  for (const ParameterKey& key : parameter_keys(parameters)) {
    if (key.quantity != Quantity::path || key.name == "run.directory") continue;
    const std::string& file = *std::get<std::string*>(key.field);
    std::error_code ignored;
    if (file.empty() || !fs::equivalent(fs::absolute(file).parent_path(), directory, ignored)) continue;
    throw InputError(
        fmt::format("{} {} lies in run.directory {}, which the run would replace; give another "
                    "run.directory",
                    key.name, file, directory));
  }
}

/// Zooms: their small particles are much closer together than all particles on average. Collective.
std::string softening_warning(const Parameters& parameters, const ParticleSystem& system, const Communicator& comm) {
  constexpr double noticed = 2;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const float m : system.particles.mass) {
    if (m > 0) least = std::min(least, static_cast<double>(m));
    most = std::max(most, static_cast<double>(m));
  }
  least = comm.min(least);
  most = comm.max(most);
  if (parameters.softening.softening >= 0 || system.frame != Frame::comoving || !(most > noticed * least)) return "";
  return fmt::format(
      "the particles' masses differ by a factor of {:.3g}, and the default softening is that of the mean spacing of "
      "all: "
      "set force.softening for the lightest",
      most / least);
}

RunSetup set_up_anew(Parameters parameters, const Communicator& comm) {
  settle_table(parameters, parameters);
  const Parameters asked = parameters;
  ParticleSystem system;
  std::string file_warning;
  collectively(comm, [&] {
    if (comm.root()) refuse_to_remove_input(parameters);
  });
  if (parameters.model.kind == ModelKind::file) {
    SnapshotInfo info = read_snapshot(parameters.model.file, comm, Unsaid::of(parameters));
    file_warning = judge_contents(info, "model.file " + parameters.model.file, parameters.model.allow_mass_mismatch);
    system = std::move(info.system);
    file_warning = joined(file_warning, softening_warning(parameters, system, comm));
    if (!is_direct(parameters)) {
      file_warning = joined(file_warning, judge_force_range(system, model_name(parameters), comm));
    }
    const bool comoving = system.frame == Frame::comoving;
    if (comoving) parameters.cosmology = info.cosmology;
    parameters.power = comoving ? info.power : PowerFacts{};
  } else {
    if (parameters.model.kind == ModelKind::bodies) check_bodies_file(parameters.model.file, comm);
    const bool comoving = !is_newtonian(parameters.model.kind);
    system.frame = comoving ? Frame::comoving : Frame::newtonian;
    if (parameters.model.kind == ModelKind::box) {
      system.boundary = Boundary::periodic;
      system.box_size = realisation_side(parameters.model);
    }
    system.time = comoving ? 1 / (1 + parameters.ic.z_start) : 0;
  }
  return collectively(comm, [&]() -> RunSetup {
    if (!parameters.power) parameters.power = power_facts(parameters);
    OutputSchedule schedule = schedule_from(parameters, system.frame, system.time);
    const double first_time = system.time;
    std::string warning = joined(file_warning, idle_warning(asked, parameters, system));
    return {std::move(parameters), std::move(system), std::move(schedule), first_time, nullptr, std::move(warning)};
  });
}

/// Starts a run again from its parameters if it ended before its first checkpoint.
RunSetup set_up_over(const RunRequest& request, const Communicator& comm) {
  const std::string file =
      request.parameter_file.empty() ? request.restart + "/parameters.toml" : request.parameter_file;
  Parameters parameters = read_parameters(file, request.settings, comm);
  parameters.run.directory = request.restart;
  RunSetup setup = set_up_anew(std::move(parameters), comm);
  setup.warning = joined(request.restart + " holds no checkpoint: starting from the setup", setup.warning);
  return setup;
}

RunSetup set_up_as_asked(const RunRequest& request, const Communicator& comm) {
  if (request.restart.empty()) {
    if (request.parameters) return set_up_anew(*request.parameters, comm);
    return set_up_anew(read_parameters(request.parameter_file, request.settings, comm), comm);
  }
  for (const std::string& setting : request.settings) {
    if (setting.starts_with("run.directory="))
      throw SharedError("--restart " + request.restart + " continues in that directory: leave out --set " + setting);
  }
  own_directory(request.restart);
  const std::string found = text_from_root(comm, [&]() -> std::string {
    require_plain_files(request.restart);
    if (fs::is_directory(request.restart)) {
      if (has_checkpoint(request.restart)) return "a checkpoint";
      refuse_finished_run(request.restart);
      return "";
    }
    throw InputError("--restart " + request.restart + ": there is no such directory");
  });
  return found.empty() ? set_up_over(request, comm) : set_up_again(request, comm);
}

void check_direct(const RunSetup& setup) {
  check_options(direct_options(setup.parameters));
  if (setup.system.frame == Frame::comoving || setup.system.boundary == Boundary::periodic) {
    throw InputError("model.file " + setup.parameters.model.file +
                     " holds a comoving or periodic system, which direct summation does not integrate");
  }
}

/// Finds errors that would end the run before its first step, while an old run is still in its directory: tables of
/// power, impossible cosmologies, outputs that need a flat one, meshes that do not fit.
void check_physics(const RunSetup& setup) {
  const Parameters& p = setup.parameters;
  if (setup.system.frame != Frame::comoving) return;
  check_geometry(p);
  if (!setup.is_new()) return;
  const Growth growth(Expansion(p.cosmology), setup.schedule.last());
  if (p.model.kind == ModelKind::box || p.model.kind == ModelKind::sphere) {
    LinearPower::of(p.cosmology, p.ic.transfer_file).require_box(realisation_side(p.model));
  }
  planned_box_forces(p);
}

/// The number of bodies or particles of all ranks, even if they have not been made yet. Collective.
std::uint64_t expected_bodies(const RunSetup& setup, const Communicator& comm) {
  const Parameters& p = setup.parameters;
  const std::uint64_t here = setup.system.particles.size() + setup.direct.bodies.size();
  const std::uint64_t present = comm.sum(here);
  if (present > 0) return present;
  if (p.model.kind == ModelKind::bodies) {
    return comm.sum(static_cast<std::uint64_t>(read_bodies_file(p.model.file, comm).size()));
  }
  return planned_particles(p);
}

/// Approximate number of pairs that an evaluation of forces sums. A block step moves about N^(2/3) bodies (Makino & Hut
/// 1988); lists of a tree have about 1000 entries.
double expected_pairs(const Parameters& parameters, double n) {
  if (!is_direct(parameters)) return n * std::min(n, 1000.0);
  const bool block = direct_options(parameters).steps == DirectSteps::block;
  return n * (block ? std::pow(n, 2.0 / 3) : n);
}

/// Decides how much a new run measures of itself, where the parameters leave that open. Collective.
void settle_open_measurements(RunSetup& setup, const Communicator& comm) {
  Parameters& p = setup.parameters;
  if (!setup.is_new() || is_direct(p)) return;
  const bool periodic = setup.system.boundary == Boundary::periodic;
  settle_measurements(
      p, {expected_bodies(setup, comm), expected_evaluations(p, setup.system.frame, setup.first_time, periodic),
          static_cast<std::uint64_t>(setup.schedule.times().size()), periodic, !setup.backend.devices.empty()});
}

}  // namespace

RunSetup set_up_run(const RunRequest& request, const Communicator& comm) {
  const auto program = static_cast<double>(resident_memory());
  RunSetup setup = set_up_as_asked(request, comm);
  setup.catch_signals = request.catch_signals;
  const RunParameters& run = setup.parameters.run;
  const auto bodies = static_cast<double>(expected_bodies(setup, comm));
  const double pairs = expected_pairs(setup.parameters, bodies);
  const bool direct = is_direct(setup.parameters);
  if (direct) {
    collectively(comm, [&] { check_direct(setup); });
    setup.direct_backend = choose_direct_backend(run.backend, run.devices, run.threads, pairs, comm);
  } else {
    setup.backend =
        choose_backend(run.backend, run.devices, {.pairs = pairs, .particles = bodies, .walks = run.walks}, comm);
    // The back end of a GPU provides memory for particles; those read from a file are not there yet.
    if (!setup.backend.devices.empty()) setup.system.particles.reallocate();
    collectively(comm, [&] { require_boundary(setup.system, *setup.backend.backend); });
  }
  const auto& metered = direct ? setup.direct_backend.metered : setup.backend.metered;
  setup.advice = device_advice(metered, run.devices, comm);
  settle_open_measurements(setup, comm);
  setup.warning =
      joined(setup.warning, judge_size(setup, {expected_bodies(setup, comm), request.overwrite, program}, comm));
  if (setup.run_id.empty()) setup.run_id = text_from_root(comm, new_run_id);
  const ExistingRun existing = !request.restart.empty() ? ExistingRun::restart
                               : request.overwrite      ? ExistingRun::overwrite
                                                        : ExistingRun::refuse;
  collectively(comm, [&] {
    check_grid(setup.parameters.decomposition, comm.size());
    if (!comm.root()) return;
    check_physics(setup);
    setup.lock = prepare_run_directory(run.directory, existing);
    if (setup.finished) return;
    begin_again(run.directory);
    write_file_atomically(run.directory + "/parameters.toml", with_run_id(setup.run_id, to_toml(setup.parameters)));
  });
  own_directory(run.directory);
  return setup;
}

void make_particles(RunSetup& setup, const Communicator& comm, IcProgress& progress) {
  const Parameters& p = setup.parameters;
  if (!setup.is_new()) return;
  if (is_direct(p)) {
    setup.direct.bodies = make_bodies(p.model, setup.system, comm);
    return;
  }
  if (p.model.kind == ModelKind::file) return;
  const auto tell = [&](const std::string& part, double fraction) { progress.report(part, fraction); };
  setup.system = make_tree_particles(p, tell, comm);
  progress.finish();
  const std::string warning = judge_force_range(setup.system, model_name(p), comm);
  if (!warning.empty()) progress.report(warning, -1);
}

}  // namespace multiwalk
