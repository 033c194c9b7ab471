// halos and profile: what a snapshot's groups are, and what one of them looks like.
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <memory>

#include "analysis/halo_finder.hpp"
#include "analysis/profiles.hpp"
#include "decomposition/agree.hpp"
#include "host/base/units.hpp"
#include "run/atomic_file.hpp"
#include "run/commands.hpp"
#include "run/halo_catalogue.hpp"
#include "run/halo_mass_functions.hpp"
#include "run/json_output.hpp"
#include "run/machine.hpp"
#include "run/ranks.hpp"
#include "run/report_charts.hpp"
#include "run/report_style.hpp"
#include "run/snapshot_potential.hpp"

namespace multiwalk {

namespace {

struct HaloArguments {
  std::string snapshot, csv, json, html, hdf5;
  HaloOptions options;
  std::uint64_t halo = 0;
  int bins = 30;

  void add_finder_options(CLI::App& command) {
    command.add_option("snapshot", snapshot, "snapshot file")->required();
    command.add_option("--linking", options.linking, "linking length / mean interparticle spacing")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command.add_option("--min-particles", options.min_particles, "least number of members")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command.add_option("--csv", csv, "write a table to this file");
    command.add_option("--json", json, "write the figures to this file (- for standard output)");
    command.add_option("--html", html, "write a page with charts to this file");
  }
};

/// A snapshot's particles in their domains, and its halos: the first on rank 0.
struct FoundHalos {
  SnapshotInfo info;
  std::uint64_t particles = 0;
  std::vector<Halo> halos;
};

FoundHalos find_in_snapshot(const HaloArguments& arguments, const Communicator& comm) {
  omp_set_num_threads(default_threads(comm));
  FoundHalos found;
  found.info = read_snapshot(arguments.snapshot, comm);
  ParticleSystem& system = found.info.system;
  ParticleStore& p = system.particles;
  found.particles = comm.sum(static_cast<std::uint64_t>(p.size()));
  if (comm.any(std::ranges::any_of(p.potential, [](float phi) { return phi != 0; }))) {
    for (std::size_t i = 0; i < p.size(); ++i)
      p.potential[i] += static_cast<float>(background_potential(system, found.info.cosmology, p.position[i]));
  }
  found.halos = find_halos(system, found.info.cosmology, arguments.options, comm);
  return found;
}

std::string summary_text(std::span<const Halo> first, std::uint64_t halos, std::uint64_t members,
                         std::uint64_t particles) {
  std::string text = fmt::format("{} halos with {} of {} particles ({:.1f} %)\n", halos, members, particles,
                                 100 * static_cast<double>(members) / static_cast<double>(particles));
  if (first.empty()) return text;
  text += " halo  particles  mass Msun/h   200c Msun/h  r200c Mpc/h  sigma km/s      x, y, z Mpc/h\n";
  for (std::size_t h = 0; h < first.size(); ++h) {
    const Halo& halo = first[h];
    fmt::format_to(std::back_inserter(text),
                   "{:5} {:10} {:12.4e} {:13.4e} {:12.4f} {:11.1f}  {:9.4f} {:9.4f} {:9.4f}\n", h, halo.number,
                   halo.mass * 1e10, halo.crit200.mass * 1e10, halo.crit200.radius, halo.velocity_dispersion,
                   halo.centre.x, halo.centre.y, halo.centre.z);
  }
  return text;
}

/// Half a particle below the least mass of a group, for rounding.
double least_mass(const SnapshotInfo& info, std::uint64_t min_particles) {
  const double particle = info.cosmology.omega_m * units::critical_density * std::pow(info.system.spacing, 3);
  return (static_cast<double>(min_particles) - 0.5) * particle;
}

void run_halos(const HaloArguments& arguments) {
  const Communicator& comm = world_of_program();
  FoundHalos found = find_in_snapshot(arguments, comm);
  std::uint64_t members = 0;
  for (const Halo& halo : found.halos) members += halo.number;
  members = comm.sum(members);
  const nlohmann::json functions =
      halo_mass_functions(found.halos, found.info, least_mass(found.info, arguments.options.min_particles), comm);
  found.info.system.particles = ParticleStore();
  const std::vector<Halo> all = comm.gather(std::span<const Halo>(found.halos));
  together(comm, [&] {
    if (!comm.root()) return;
    const std::string summary =
        summary_text(std::span(all).first(std::min<std::size_t>(all.size(), 10)), all.size(), members, found.particles);
    if (arguments.json != "-") std::fputs(summary.c_str(), stdout);
    if (!arguments.csv.empty()) write_file_atomically(arguments.csv, halo_table(all));
    if (!arguments.hdf5.empty()) write_halo_file(arguments.hdf5, all, catalogue_header(arguments.snapshot, found.info));
    if (!arguments.html.empty())
      write_file_atomically(arguments.html, halo_page(arguments.snapshot, functions, summary));
    write_json(arguments.json, {{"snapshot", arguments.snapshot},
                                {"linking", arguments.options.linking},
                                {"min_particles", arguments.options.min_particles},
                                {"particles", found.particles},
                                {"halos", all.size()},
                                {"members", members},
                                {"mass_functions", functions}});
  });
}

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
    fmt::format_to(std::back_inserter(table), "{},{},{},{},{},{},{}\n", bin.low, bin.high, bin.count, bin.mass * 1e10,
                   bin.density * 1e10, bin.enclosed * 1e10, bin.circular_velocity);
  return table;
}

std::string profile_page(const std::string& title, const std::vector<ProfileBin>& profile) {
  std::vector<double> middle, high, density, error, velocity;
  for (const ProfileBin& bin : profile) {
    middle.push_back(std::sqrt(bin.low * bin.high));
    high.push_back(bin.high);
    density.push_back(bin.density * 1e10);
    error.push_back(bin.density * 1e10 / std::sqrt(std::max(static_cast<double>(bin.count), 1.0)));
    velocity.push_back(bin.circular_velocity);
  }
  const ChartAxis radius{"r (comoving Mpc/h)", true, {}, false};
  const std::string charts =
      chart_panels({{"Density",
                     {"Density by radius",
                      radius,
                      {"Msun/h / (Mpc/h)^3", true, {}, false},
                      {{"density", 0, middle, density, error, Mark::line_and_points, false}},
                      false},
                     "Mean comoving density of spherical shells, all particles counted; bars are Poisson errors."},
                    {"Circular velocity",
                     {"Circular velocity by radius",
                      radius,
                      {"km/s", false, {}, true},
                      {{"circular velocity", 3, high, velocity, {}, Mark::line_and_points, false}},
                      false},
                     "The square root of G M / r, with all the mass within r."}});
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Profile &ndash; Multiwalk</title>\n"
         "<style>" +
         report_style() +
         "</style></head><body>\n<header><div><div class=\"brand\">Multiwalk &middot; profile</div><h1>" +
         escape_html(title) + "</h1></div></header><main>\n" + charts + "</main></body></html>\n";
}

/// The halo of this place in the list of all ranks.
Halo pick_halo(std::span<const Halo> mine, std::uint64_t number, const Communicator& comm) {
  const std::uint64_t before = comm.sum_before(mine.size()), all = comm.sum(static_cast<std::uint64_t>(mine.size()));
  if (number >= all) throw SharedError(fmt::format("--halo {}: there are {} halos, from 0 on", number, all));
  const bool here = number >= before && number < before + mine.size();
  const int owner = comm.max(here ? comm.rank() : -1);
  Halo halo = here ? mine[number - before] : Halo();
  comm.broadcast(std::span<Halo>(&halo, 1), owner);
  return halo;
}

void run_profile(const HaloArguments& arguments) {
  const Communicator& comm = world_of_program();
  const FoundHalos found = find_in_snapshot(arguments, comm);
  const ParticleSystem& system = found.info.system;
  const Halo halo = pick_halo(found.halos, arguments.halo, comm);
  ProfileOptions options;
  options.centre = halo.centre;
  options.period = system.boundary == Boundary::periodic ? system.box_size : 0;
  options.r_max = 2 * std::max(halo.mean200.radius, 0.5 * halo.extent);
  if (options.period > 0) options.r_max = std::min(options.r_max, options.period / 2);
  options.r_min = std::max(found.info.softening, 0.002 * options.r_max);
  options.bins = arguments.bins;
  options.scale_factor = system.time;
  options.gravitational_constant = units::gravitational_constant;
  if (!(options.r_min < options.r_max)) throw SharedError("the halo is smaller than the softening");
  const std::vector<ProfileBin> profile = spherical_profile(system.particles, options, comm);
  together(comm, [&] {
    if (!comm.root()) return;
    if (arguments.json != "-") {
      std::printf("halo %llu: %llu members, %.4e Msun/h, 200c %.4e Msun/h within %.4f Mpc/h\n",
                  static_cast<unsigned long long>(arguments.halo), static_cast<unsigned long long>(halo.number),
                  halo.mass * 1e10, halo.crit200.mass * 1e10, halo.crit200.radius);
      std::fputs(profile_table(profile).c_str(), stdout);
    }
    if (!arguments.csv.empty()) write_file_atomically(arguments.csv, profile_table(profile));
    if (!arguments.html.empty())
      write_file_atomically(arguments.html,
                            profile_page(fmt::format("Halo {} of {}", arguments.halo, arguments.snapshot), profile));
    write_json(arguments.json, {{"snapshot", arguments.snapshot},
                                {"halo", arguments.halo},
                                {"id", halo.id},
                                {"centre", {halo.centre.x, halo.centre.y, halo.centre.z}},
                                {"bins", profile_rows(profile)}});
  });
}

}  // namespace

void add_halos_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("halos", "Find the halos of a snapshot: friends of friends and spheres");
  auto arguments = std::make_shared<HaloArguments>();
  arguments->add_finder_options(*command);
  command->add_option("--hdf5", arguments->hdf5,
                      "write a catalogue in GADGET-4's layout, e.g. fof_subhalo_tab_005.hdf5");
  command->callback([arguments] { run_halos(*arguments); });
}

void add_profile_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("profile", "Density and circular velocity about a halo of a snapshot");
  auto arguments = std::make_shared<HaloArguments>();
  arguments->add_finder_options(*command);
  command->add_option("--halo", arguments->halo, "place in the list by mass, 0 the most massive")
      ->capture_default_str();
  command->add_option("--bins", arguments->bins, "logarithmic bins of radius")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->callback([arguments] { run_profile(*arguments); });
}

}  // namespace multiwalk
