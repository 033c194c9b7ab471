// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/outputs/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "analysis/forces/census_tree.hpp"
#include "analysis/halos/group_order.hpp"
#include "analysis/sums/sampling.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/base/phase_timer.hpp"
#include "host/base/units.hpp"
#include "run/files/atomic_file.hpp"
#include "run/machine/version.hpp"
#include "run/outputs/halo_mass_functions.hpp"
#include "run/outputs/output_power.hpp"
#include "run/outputs/pictures.hpp"
#include "run/snapshots/halo_catalogue.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

namespace {

constexpr std::uint64_t census_sample = 20000;

SnapshotAttributes run_attributes(const Simulation& simulation, const RunRecord& record) {
  SnapshotAttributes run{{"step", static_cast<std::int64_t>(simulation.step_count())},
                         {"ranks", static_cast<std::int64_t>(record.ranks)},
                         {"threads", static_cast<std::int64_t>(record.threads)},
                         {"devices", static_cast<std::int64_t>(record.devices)},
                         {"backend", record.backend},
                         {"wall_seconds", record.wall_seconds},
                         {"energy_error", simulation.energy_error()}};
  if (!record.errors.empty()) {
    run["force_error_median"] = record.errors.back().total.median;
    if (record.errors.back().total.knows_p99()) run["force_error_p99"] = record.errors.back().total.p99;
  }
  return run;
}

/// A copy whose particles are in the order of the halos.
ParticleSystem ordered_system(const ParticleSystem& system, const HaloCatalogue& halos, const Communicator& comm) {
  return {particles_by_group(halos, system.particles, comm),
          system.frame,
          system.boundary,
          system.time,
          system.box_size,
          system.spacing,
          system.sphere_radius};
}

/// Returns what the record tells of them.
nlohmann::json write_halos(const Simulation& simulation, const Parameters& parameters, const HaloCatalogue& catalogue,
                           const std::string& path) {
  const Communicator& comm = simulation.communicator();
  const ParticleSystem& system = simulation.host_view();
  const std::vector<std::uint64_t> ids = member_ids(catalogue, system.particles.id, comm);
  write_halo_file(path, catalogue.halos, ids,
                  {system.time, snapshot_box(system, comm), parameters.cosmology, parameters.output.snapshots}, comm);
  return {{"file", path},
          {"halos", comm.sum(static_cast<std::uint64_t>(catalogue.halos.size()))},
          {"members", comm.sum(static_cast<std::uint64_t>(ids.size()))},
          {"mass_functions", halo_mass_functions(catalogue.halos, system, parameters.cosmology,
                                                 parameters.ic.transfer_file, HaloOptions().min_particles, comm)}};
}

/// `png`: on rank 0. Collective.
void write_picture(const std::string& path, const std::vector<std::uint8_t>& png, const Communicator& comm) {
  together(comm, [&] {
    if (comm.root()) write_file_atomically(path, {reinterpret_cast<const char*>(png.data()), png.size()});
  });
}

/// Pictures of the most massive, half as wide as those of the system; their paths.
std::vector<std::string> draw_halos(const Simulation& simulation, const OutputParameters& output,
                                    const HaloCatalogue& catalogue, const std::string& stem) {
  const Communicator& comm = simulation.communicator();
  const auto halos = comm.sum(static_cast<std::uint64_t>(catalogue.halos.size()));
  std::vector<std::string> paths;
  for (std::uint64_t place = 0; place < std::min<std::uint64_t>(output.halo_images, halos); ++place) {
    const Halo halo = halo_at(catalogue.halos, place, comm);
    paths.push_back(fmt::format("{}_halo_{}.png", stem, place));
    write_picture(paths.back(),
                  draw_halo(simulation.host_view(), halo, std::max(output.image_pixels / 2, 16U), 2, comm), comm);
  }
  return paths;
}

/// Numbers as numbers, everything else as its TOML text.
std::variant<double, std::int64_t, std::string> attribute_of(const std::string& value) {
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (end != value.c_str() && *end == '\0') return number;
  return value;
}

}  // namespace

SnapshotOptions snapshot_options(const Parameters& parameters, double softening) {
  SnapshotOptions options;
  options.files = parameters.output.files_per_snapshot;
  options.softening = softening;
  options.softening_max_physical = parameters.softening.softening_max_physical * units::kpc;
  for (const auto& [key, value] : parameter_values(parameters)) options.parameters[key] = attribute_of(value);
  options.run["seed"] = static_cast<std::int64_t>(parameters.model.seed);
  options.code = {{"name", std::string("Multiwalk")}, {"version", version_short()}};
  return options;
}

Parameters parameters_as_used(const Simulation& simulation, const Parameters& given) {
  Parameters used = given;
  if (const std::optional<BoxForces>& forces = simulation.box_forces()) {
    used.force.mac = forces->walks.mac;
    used.force.alpha = forces->walks.alpha;
    used.force.multipole = forces->walks.multipole;
    used.box_force.mesh = forces->mesh.cells;
    used.box_force.split = forces->split.scale * forces->mesh.cells / simulation.host_view().box_size;
    used.box_force.cutoff = forces->split.cutoff / forces->split.scale;
  }
  return used;
}

void sample_force_error(const Simulation& simulation, const Parameters& parameters, RunRecord& record,
                        const MeasuringListener& listener) {
  if (parameters.output.error_sample == 0) return;
  const double began = wall_time();
  MeasuringProgress progress("measuring the force error", listener);
  const ForceError error = measure_force_error(
      simulation.host_view().particles, simulation.pair_law(), {parameters.output.error_sample, parameters.model.seed},
      simulation.background(), simulation.communicator(),
      {&simulation.backend(), [&](double fraction) { progress.at(fraction); }});
  record.errors.push_back({simulation.time(), simulation.redshift(), error.total, error.peculiar});
  record.measuring.errors += wall_time() - began;
}

std::optional<HaloCatalogue> seek_halos(const Simulation& simulation, const Parameters& parameters) {
  if (!parameters.output.halos) return std::nullopt;
  return find_halos(simulation.host_view(), simulation.domains(), parameters.cosmology, {}, simulation.communicator());
}

void write_output(const Simulation& simulation, const Parameters& parameters, const std::optional<HaloCatalogue>& halos,
                  RunRecord& record) {
  const Communicator& comm = simulation.communicator();
  const std::string& directory = parameters.run.directory;
  OutputRecord output;
  output.time = simulation.time();
  output.z = simulation.redshift();
  const std::string number = fmt::format("{:03d}", record.outputs.size());
  if (parameters.output.snapshots) {
    SnapshotOptions options = snapshot_options(parameters, simulation.uncapped_softening());
    options.run.merge(run_attributes(simulation, record));
    options.accelerations = parameters.output.accelerations;
    options.background = simulation.background();
    const auto write = [&](const ParticleSystem& system) {
      return write_snapshot(directory + "/snapshot_" + number, system, parameters.cosmology, options, comm);
    };
    if (halos) {
      output.snapshots = write(ordered_system(simulation.host_view(), *halos, comm));
    } else {
      output.snapshots = write(simulation.host_view());
    }
  }
  const std::string image = directory + "/image_" + number;
  if (parameters.output.images) {
    output.image = image + ".png";
    write_picture(output.image, draw_system(simulation.host_view(), parameters.output.image_pixels, 2, comm), comm);
  }
  if (halos) {
    output.halos = write_halos(simulation, parameters, *halos, directory + "/fof_subhalo_tab_" + number + ".hdf5");
    if (parameters.output.images) output.halos["images"] = draw_halos(simulation, parameters.output, *halos, image);
  }
  if (parameters.output.power && simulation.host_view().boundary == Boundary::periodic) {
    const std::string snapshot = output.snapshots.empty() ? "" : output.snapshots.front();
    output.power = write_power(simulation, parameters, snapshot, directory + "/power_" + number + ".csv");
  }
  record.outputs.push_back(std::move(output));
}

/// What pulls a sample of particles: of split forces as the run has it, which will do to say what errors are relative
/// to.
ForceTruth pulls_of_sample(const ParticleStore& particles, const PairLaw& law, const Sample& sample,
                           const Communicator& comm, ForceBackend& backend) {
  if (!(law.split.scale > 0)) return sum_directly(particles, law, sample, comm, {&backend});
  ForceTruth pulls{sample_by_id(particles.id, sample, comm), {}};
  for (const std::uint32_t i : pulls.chosen) pulls.pull.emplace_back(Vec3d(particles.acceleration[i]));
  return pulls;
}

void take_census(Simulation& simulation, const Parameters& parameters, std::uint64_t raw_pairs, RunRecord& record,
                 const MeasuringListener& listener) {
  const Communicator& comm = simulation.communicator();
  // Ewald sums are long: boxes take the error that was measured last.
  const bool split = simulation.pair_law().split.scale > 0;
  if (split && record.errors.empty()) sample_force_error(simulation, parameters, record, listener);
  const double began = wall_time();
  const MeasuringProgress progress("counting effective interactions", listener);
  simulation.release_scratch();
  if (comm.alone()) simulation.sort_particles();
  const ParticleStore& particles = simulation.host_view().particles;
  const PairLaw law = simulation.pair_law();
  const std::uint64_t seed = parameters.model.seed;
  const CensusTree tree(particles, enclosing_cube(bounding_box(particles.position)), law, comm);
  CensusRecord census;
  census.step = simulation.step_count();
  census.a = simulation.comoving() ? simulation.time() : 1;
  census.raw_pairs = raw_pairs;
  census.effective = count_effective(tree, particles, parameters.force.theta, {census_sample, seed}, comm);
  if (const std::uint64_t sample = parameters.output.error_sample; sample > 0) {
    const ForceTruth truth = pulls_of_sample(particles, law, {sample, seed}, comm, simulation.backend());
    ErrorPercentiles error = split ? record.errors.back().total : measure_force_error(particles, truth, 0, comm).total;
    error.sample = std::min(error.sample, sample);  // the walk's error must be known as well
    const ErrorLevel level = level_of(error);
    const EqualErrorCount equal = count_equal_error_monopole(tree, particles, law, truth, level, comm);
    census.equal_error_theta = equal.theta;
    census.equal_error_pairs = equal.count.pairs;
    census.equal_error_of_median = level.of_median;
  }
  record.census.push_back(census);
  record.measuring.census += wall_time() - began;
}

}  // namespace multiwalk
