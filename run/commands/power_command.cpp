// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "decomposition/ranks/agree.hpp"
#include "run/commands/commands.hpp"
#include "run/commands/options/file_options.hpp"
#include "run/commands/options/unsaid_option.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_output.hpp"
#include "run/files/printable.hpp"
#include "run/machine/machine.hpp"
#include "run/machine/memory_room.hpp"
#include "run/machine/program_ranks.hpp"
#include "run/outputs/power_report.hpp"
#include "run/pages/page.hpp"
#include "run/plan/memory_plan.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

namespace {

struct PowerArguments {
  std::string snapshot, assignment = assignment_name(PowerOptions{}.assignment), transfer, json, csv, html;
  PowerOptions options;
  bool no_interlacing = false;
  UnsaidOption unsaid;
};

/// Checks the boundary in the header, before any particle is read.
void require_periodic(const std::string& path, const Unsaid& unsaid, const Communicator& comm) {
  collectively(comm, [&] {
    if (read_snapshot_info(path, unsaid).system.boundary == Boundary::periodic) return;
    throw InputError(path + ": not a periodic box; power spectra of other systems are not measured");
  });
}

void write_power(const PowerArguments& arguments, const nlohmann::json& power) {
  if (arguments.json != "-") std::fputs(power_text(power).c_str(), stdout);
  write_json(arguments.json, power);
  if (!arguments.csv.empty()) write_file_atomically(arguments.csv, power_csv(power));
  if (!arguments.html.empty()) write_file_atomically(arguments.html, page(PageKind::power, power));
}

void run_power(const PowerArguments& arguments) {
  PowerOptions options = arguments.options;
  options.assignment = assignment_from(arguments.assignment);
  options.interlacing = !arguments.no_interlacing;
  const Communicator& comm = world_of_program();
  omp_set_num_threads(default_threads(comm));
  const Unsaid unsaid = arguments.unsaid.resolve(comm);
  require_periodic(arguments.snapshot, unsaid, comm);
  if (options.mesh > 0)
    require_memory(meshes_bytes(options.mesh, comm.size()), fmt::format("power --mesh {}", options.mesh), comm);
  const SnapshotInfo info = look_at_snapshot(arguments.snapshot, comm, unsaid, RepeatedIds::warned_of);
  const ParticleStore& particles = info.system.particles;
  const PowerSpectrum spectrum =
      measure_power({particles.position, particles.mass, info.system.box_size}, options, comm);
  collectively(comm, [&] {
    if (!comm.root()) return;
    if (!arguments.transfer.empty()) warn_on_stderr(LinearPower::of(info.cosmology, arguments.transfer).warning(0));
    write_power(arguments,
                power_json({arguments.snapshot, info.system, info.cosmology, arguments.transfer}, options, spectrum));
  });
}

}  // namespace

void add_power_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("power", "Measure the power spectrum of a periodic snapshot");
  auto arguments = std::make_shared<PowerArguments>();
  PowerOptions& options = arguments->options;
  command->add_option("snapshot", arguments->snapshot, "snapshot file")->required();
  arguments->unsaid.add_to(*command);
  command->add_option("--mesh", options.mesh, "cells per side (default: about twice the particles per side)")
      ->check(CLI::Range(4, 65534));
  command->add_option("--assignment", arguments->assignment, "mass to mesh: cic, tsc or pcs")->capture_default_str();
  command->add_flag("--no-interlacing", arguments->no_interlacing,
                    "one mesh, with the windows of Jing (2005), in place of two shifted by half a cell");
  command
      ->add_option("--folds", options.folds,
                   "number of foldings of the box, each of which doubles the largest wavenumber")
      ->check(CLI::Range(0, 24))
      ->capture_default_str();
  command->add_flag("--subtract-shot-noise", options.subtract_shot_noise, "subtract V/N from the power");
  add_power_table(*command, arguments->transfer,
                  "table of linear theory, as cosmology.transfer_file (default: Eisenstein & Hu 1998)");
  add_json_output(*command, arguments->json);
  add_output(*command, "--csv", arguments->csv, "write a table of all bins to this file", csv_names);
  add_output(*command, "--html", arguments->html, "write a chart with linear theory to this page", html_names);
  command->callback([arguments] { run_power(*arguments); });
}

}  // namespace multiwalk
