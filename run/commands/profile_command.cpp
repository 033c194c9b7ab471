// SPDX-License-Identifier: GPL-3.0-or-later
// profile: density and circular velocity around one halo of a snapshot.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/halos/profiles.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/base/units.hpp"
#include "run/commands/commands.hpp"
#include "run/commands/options/number_checks.hpp"
#include "run/commands/snapshot_halos.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_output.hpp"
#include "run/machine/program_ranks.hpp"
#include "run/pages/page.hpp"

namespace multiwalk {

namespace {

struct ProfileArguments : HaloArguments {
  std::uint64_t halo = 0;
  int bins = 30;
};

nlohmann::json profile_rows(const std::vector<ProfileBin>& profile) {
  nlohmann::json rows = nlohmann::json::array();
  for (const ProfileBin& bin : profile) {
    rows.push_back({{"r_low", bin.low},
                    {"r_high", bin.high},
                    {"count", bin.count},
                    {"mass", bin.mass * 1e10},
                    {"density", bin.density * 1e10},
                    {"enclosed", bin.enclosed * 1e10},
                    {"v_circ", bin.circular_velocity}});
  }
  return rows;
}

std::string profile_table(const std::vector<ProfileBin>& profile) {
  std::string table =
      "r_low[Mpc/h],r_high[Mpc/h],particles,mass[Msun/h],density[Msun/h/(Mpc/h)^3],enclosed[Msun/h],v_circ[km/s]\n";
  for (const ProfileBin& bin : profile)
    table += fmt::format("{},{},{},{},{},{},{}\n", bin.low, bin.high, bin.count, bin.mass * 1e10, bin.density * 1e10,
                         bin.enclosed * 1e10, bin.circular_velocity);
  return table;
}

void run_profile(const ProfileArguments& arguments) {
  const Communicator& comm = world_of_program();
  const SnapshotHalos found = find_in_snapshot(arguments, comm);
  const ParticleSystem& system = found.info.system;
  const Halo halo = halo_at(found.catalogue.halos, arguments.halo, comm);
  ProfileOptions options;
  options.centre = halo.centre;
  options.period = period_of(system);
  options.r_max = 2 * std::max(halo.mean200.radius, 0.5 * halo.extent);
  if (options.period > 0) options.r_max = std::min(options.r_max, options.period / 2);
  options.r_min = std::max(found.info.softening, 0.002 * options.r_max);
  options.bins = arguments.bins;
  options.scale_factor = system.time;
  options.gravitational_constant = units::gravitational_constant;
  if (!(options.r_min < options.r_max)) throw SharedError("the halo is smaller than the softening");
  const std::vector<ProfileBin> profile = spherical_profile(system.particles, options, comm);
  collectively(comm, [&] {
    if (!comm.root()) return;
    if (arguments.json != "-") {
      std::printf("halo %llu: %llu members, %.4e Msun/h, 200c %.4e Msun/h within %.4f Mpc/h\n",
                  static_cast<unsigned long long>(arguments.halo), static_cast<unsigned long long>(halo.number),
                  halo.mass * 1e10, halo.crit200.mass * 1e10, halo.crit200.radius);
      std::fputs(profile_table(profile).c_str(), stdout);
    }
    if (!arguments.csv.empty()) write_file_atomically(arguments.csv, profile_table(profile));
    const nlohmann::json figures{{"snapshot", arguments.snapshot},
                                 {"halo", arguments.halo},
                                 {"id", halo.id},
                                 {"centre", {halo.centre.x, halo.centre.y, halo.centre.z}},
                                 {"bins", profile_rows(profile)}};
    if (!arguments.html.empty()) write_file_atomically(arguments.html, page(PageKind::profile, figures));
    write_json(arguments.json, figures);
  });
}

}  // namespace

void add_profile_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("profile", "Measure density and circular velocity around a halo of a snapshot");
  auto arguments = std::make_shared<ProfileArguments>();
  arguments->add_to(*command);
  command->add_option("--halo", arguments->halo, "place of the halo in the list by mass; 0: the most massive")
      ->check(whole_number())
      ->capture_default_str();
  command->add_option("--bins", arguments->bins, "logarithmic bins of radius")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->callback([arguments] { run_profile(*arguments); });
}

}  // namespace multiwalk
