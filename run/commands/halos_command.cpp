// SPDX-License-Identifier: GPL-3.0-or-later
// halos: the groups of a snapshot.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/halos/group_order.hpp"
#include "decomposition/ranks/agree.hpp"
#include "run/commands/commands.hpp"
#include "run/commands/options/file_options.hpp"
#include "run/commands/snapshot_halos.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_output.hpp"
#include "run/files/printable.hpp"
#include "run/machine/machine.hpp"
#include "run/machine/program_ranks.hpp"
#include "run/outputs/halo_mass_functions.hpp"
#include "run/pages/page.hpp"
#include "run/parameters/written_path.hpp"
#include "run/setup/run_directory.hpp"
#include "run/snapshots/halo_catalogue.hpp"
#include "run/trees/stored_trees.hpp"

namespace multiwalk {

namespace {

struct HalosArguments : HaloArguments {
  std::string hdf5, transfer, trees;
  std::vector<std::string> more;  ///< snapshots
};

/// Numbers over all ranks.
struct Counts {
  std::uint64_t halos, members, particles;
};

Counts count(const SnapshotHalos& found, const Communicator& comm) {
  return {comm.sum(static_cast<std::uint64_t>(found.catalogue.halos.size())),
          comm.sum(static_cast<std::uint64_t>(found.catalogue.members.member.size())),
          comm.sum(static_cast<std::uint64_t>(found.info.system.particles.size()))};
}

/// `first`: the most massive halos. Of a sphere, their places are relative to its centre.
std::string summary_text(std::span<const Halo> first, const Counts& counts, Boundary boundary) {
  std::string text =
      fmt::format("{} halos with {} of {} particles ({:.1f}%)\n", counts.halos, counts.members, counts.particles,
                  100.0 * static_cast<double>(counts.members) / static_cast<double>(counts.particles));
  if (first.empty()) return text;
  text += " halo  particles  mass Msun/h   200c Msun/h  r200c Mpc/h  v_max km/s   c200  spin      ";
  text += boundary == Boundary::vacuum ? "x, y, z from the centre, Mpc/h\n" : "x, y, z Mpc/h\n";
  for (std::size_t h = 0; h < first.size(); ++h) {
    const Halo& halo = first[h];
    text += fmt::format("{:5} {:10} {:12.4e} {:13.4e} {:12.4f} {:11.1f} {:6.2f} {:5.3f}  {:9.4f} {:9.4f} {:9.4f}\n", h,
                        halo.number, halo.mass * 1e10, halo.crit200.mass * 1e10, halo.crit200.radius, halo.v_max,
                        halo.concentration, halo.spin_bullock, halo.centre.x, halo.centre.y, halo.centre.z);
  }
  return text;
}

/// The figures of the most massive halos for the page.
nlohmann::json first_json(std::span<const Halo> first) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Halo& halo : first) {
    rows.push_back({{"particles", halo.number},
                    {"mass", halo.mass * 1e10},
                    {"mass_200c", halo.crit200.mass * 1e10},
                    {"radius_200c", halo.crit200.radius},
                    {"v_max", halo.v_max},
                    {"concentration", halo.concentration},
                    {"spin", halo.spin_bullock},
                    {"centre", {halo.centre.x, halo.centre.y, halo.centre.z}}});
  }
  return rows;
}

/// The most massive halos of all ranks, on rank 0.
std::vector<Halo> gather_first(std::span<const Halo> mine, std::size_t most, const Communicator& comm) {
  std::vector<Halo> first = comm.gather(mine.first(std::min(mine.size(), most)));
  first.resize(std::min(first.size(), most));
  return first;
}

void write_catalogue(const HalosArguments& arguments, const SnapshotHalos& found, const Communicator& comm) {
  const ParticleSystem& system = found.info.system;
  const std::vector<std::uint64_t> ids = member_ids(found.catalogue, system.particles.id, comm);
  write_halo_file(arguments.hdf5, found.catalogue.halos, ids,
                  {system.time, snapshot_box(system, comm), found.info.cosmology}, comm);
}

/// Subhalos and merger trees of all snapshots.
void follow_halos(const HalosArguments& arguments, const Communicator& comm) {
  omp_set_num_threads(default_threads(comm));
  collectively(comm, [&] { refuse_run_directory(arguments.trees); });
  StoredTrees stored{.snapshots = arguments.more,
                     .directory = expanded_path(arguments.trees),
                     .min_particles = static_cast<std::uint32_t>(arguments.options.min_particles),
                     .unsaid = arguments.unsaid.resolve(comm)};
  stored.snapshots.push_back(arguments.snapshot);
  const std::int64_t tracks = follow_snapshots(stored, comm);
  if (comm.root()) {
    std::fputs(fmt::format("{} tracks through {} snapshots: {}/trees.hdf5\n", tracks, stored.snapshots.size(),
                           stored.directory)
                   .c_str(),
               stdout);
  }
}

void run_halos(const HalosArguments& arguments) {
  const Communicator& comm = world_of_program();
  if (!arguments.trees.empty()) return follow_halos(arguments, comm);
  if (!arguments.more.empty()) throw SharedError("halos: several snapshots need --trees DIRECTORY");
  const SnapshotHalos found = find_in_snapshot(arguments, comm);
  const std::span<const Halo> halos = found.catalogue.halos;
  const Counts counts = count(found, comm);
  const nlohmann::json functions = halo_mass_functions(halos, found.info.system, found.info.cosmology,
                                                       arguments.transfer, arguments.options.min_particles, comm);
  if (!arguments.hdf5.empty()) write_catalogue(arguments, found, comm);
  if (!arguments.csv.empty()) write_halo_table(arguments.csv, halos, found.info.system.boundary, comm);
  const std::vector<Halo> first = gather_first(halos, 10, comm);
  collectively(comm, [&] {
    if (!comm.root()) return;
    if (!arguments.transfer.empty())
      warn_on_stderr(LinearPower::of(found.info.cosmology, arguments.transfer).warning(0));
    if (arguments.json != "-") std::fputs(summary_text(first, counts, found.info.system.boundary).c_str(), stdout);
    nlohmann::json figures{{"snapshot", arguments.snapshot},
                           {"linking", arguments.options.linking},
                           {"min_particles", arguments.options.min_particles},
                           {"particles", counts.particles},
                           {"halos", counts.halos},
                           {"members", counts.members},
                           {"mass_functions", functions}};
    write_json(arguments.json, figures);
    figures["first"] = first_json(first);
    figures["from_centre"] = found.info.system.boundary == Boundary::vacuum;
    if (!arguments.html.empty()) write_file_atomically(arguments.html, page(PageKind::halos, figures));
  });
}

}  // namespace

void add_halos_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("halos", "Find the halos of a snapshot: friends of friends and spheres");
  auto arguments = std::make_shared<HalosArguments>();
  arguments->add_to(*command);
  add_output(*command, "--hdf5", arguments->hdf5,
             "write a catalogue in GADGET-4's layout, e.g. fof_subhalo_tab_005.hdf5", hdf5_names);
  command->add_option("more", arguments->more, "with --trees: further snapshots of the same run");
  command->add_option("--trees", arguments->trees,
                      "follow subhalos through the snapshots (--min-particles: of bound ones too) and write their "
                      "catalogues and merger trees into this directory; other options have no effect then");
  add_power_table(
      *command, arguments->transfer,
      "linear power for the fitted mass functions, as cosmology.transfer_file (default: Eisenstein & Hu 1998)");
  command->callback([arguments] { run_halos(*arguments); });
}

}  // namespace multiwalk
