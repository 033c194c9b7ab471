// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/plan/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/forces/census_tree.hpp"
#include "analysis/halos/group_order.hpp"
#include "analysis/pictures/local_spacing.hpp"
#include "host/base/peak_memory.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/walk_families.hpp"
#include "ic/models/make_load.hpp"
#include "ic/models/model.hpp"
#include "ic/models/realisation.hpp"
#include "run/evolve/output_schedule.hpp"
#include "run/evolve/simulation.hpp"
#include "run/evolve/starting_system.hpp"
#include "run/files/bodies_file.hpp"
#include "run/outputs/power_output.hpp"
#include "run/plan/device_plan.hpp"
#include "run/plan/expected_steps.hpp"
#include "run/snapshots/running_output.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

namespace {

constexpr double nodes_per_leaf = 2.2;     // measured: Plummer and cosmological, leaves of 4 to 64
constexpr double children_per_family = 7;  // measured, 6.5 to 7.8
constexpr double walk_node_bytes = sizeof(float) + sizeof(std::uint32_t) + sizeof(WalkFamily) / children_per_family;
constexpr double forces_bytes = sizeof(Vec3f) + sizeof(float);  // a particle's, of the mesh
constexpr double sorting_bytes = 38;                            // a particle's, of sort_by_key with little memory
/// A particle's acceleration, potential and place on a device that returns them in the store's order.
constexpr double results_bytes = sizeof(Vec3f) + sizeof(float) + sizeof(std::uint32_t);
constexpr double friends_bytes = 60;        // a particle's, of friends_of_friends
constexpr double buffers = 8e6;             // lists and rows of files under way, measured
constexpr double mpi_bytes = 9e6;           // of MPI, which one rank alone does not start; measured
constexpr double long_lists = 10e6;         // of the relative criterion, whose first lists are long; measured
constexpr double ewald_table_bytes = 15e6;  // host/exact/ewald.hpp
/// Two pieces of the mesh's results on their way from the device (device/mesh/device_mesh.cpp).
constexpr double mesh_results = 2.0 * 1048576 * (sizeof(Vec3f) + sizeof(float)) * 9 / 8;
constexpr double fragments = 1.08;  // of the heap, with the lists under way; measured, 1e5 to 2e6 particles
constexpr std::uint64_t sample_particles = 100000, sample_of_all_pairs = 8000;

/// Boxes whose back end sums over all pairs are too small to matter here.
bool takes_block_steps(const Parameters& parameters) {
  return multiwalk::takes_block_steps(parameters, planned_period(parameters) > 0);
}

/// Bytes of a particle in all arrays of the store.
double store_bytes(const Parameters& parameters) {
  ParticleStore store;
  store.set_rungs(takes_block_steps(parameters));
  double bytes = 0;
  store.for_each_array([&bytes](const char*, const auto& array) { bytes += sizeof(array[0]); });
  return bytes;
}

double nodes_per_particle(const Parameters& parameters) {
  return nodes_per_leaf / static_cast<double>(parameters.force.leaf_size);
}

/// Clouds of a density under way, with the order they travel in.
double clouds_bytes(double particles) {
  constexpr double cloud = 80, order = 4;
  return cloud * std::min(particles, static_cast<double>(DensityOptions().in_flight)) + order * particles;
}

bool is_comoving(const Parameters& parameters) {
  const ModelKind kind = parameters.model.kind;
  return kind == ModelKind::sphere || kind == ModelKind::box || kind == ModelKind::hubble_lattice;
}

/// Groups of friends and, for snapshots, a copy of the particles in the order of groups.
double halo_bytes(const Parameters& parameters, double particles) {
  if (!parameters.output.halos) return parameters.trees.wanted() ? particles * friends_bytes : 0;
  return particles * (parameters.output.snapshots ? group_order_bytes : friends_bytes);
}

/// Bytes that an output adds to the particles of one of `ranks` and its tree. `power`: hosts measure power spectra.
double output_bytes(const Parameters& parameters, const std::optional<BoxForces>& forces, std::uint64_t particles,
                    bool power, int ranks) {
  const auto n = static_cast<double>(particles) / ranks;
  const double thickness = !is_comoving(parameters) ? 1
                           : forces                 ? 1.0 / 4
                                                    : 1.0 / 6;  // of a picture's slab (run/outputs/pictures.cpp)
  const double counts = thickness * LocalSpacing::bytes(static_cast<std::uint64_t>(n));
  const double image = parameters.output.images ? counts + image_bytes(parameters.output.image_pixels) : 0;
  const double maps =
      std::max(parameters.grids.wanted() ? meshes_bytes(parameters.grids.cells, ranks) + clouds_bytes(n) : 0,
               std::pow(parameters.planes.pixels, 2) * 2 * sizeof(double));
  const double halos = std::max({image, maps, halo_bytes(parameters, n)});
  if (!forces || !power) return halos;
  const std::uint32_t cells = output_power_options(particles, forces->mesh.cells).mesh;
  return std::max(halos, meshes_bytes(cells, ranks) + clouds_bytes(n));
}

/// Maps of the two shells that light may be passing, if both are hit everywhere.
double open_maps_bytes(const LightConeParameters& parameters) {
  constexpr double at_once = 2, pixels_of_base = 12;
  const double per_pixel = sizeof(std::uint32_t) + (parameters.shell_velocities ? sizeof(std::int64_t) : 0);
  return parameters.shells ? at_once * pixels_of_base * std::pow(parameters.nside, 2) * per_pixel : 0;
}

/// `kept`: a device keeps the particles, and two more shells are being written beside the steps.
double light_cone_bytes(const LightConeParameters& parameters, bool kept) {
  return (kept ? 2 : 1) * open_maps_bytes(parameters);
}

/// If a light cone stores particles, the most memory for those that a device has chosen: page-locked, with an eighth to
/// spare, and their masses and ids (device/backends/kept_passing.cpp).
double passing_bytes(const LightConeParameters& parameters, double particles) {
  if (!parameters.particles) return 0;
  constexpr double little = 1 << 30, motion = sizeof(std::uint32_t) + sizeof(Vec3d) + sizeof(Vec3f);
  constexpr double names = sizeof(float) + sizeof(std::uint64_t);
  const double most = std::min(particles, std::max(particles / 2, little / (motion + sizeof(std::uint32_t))));
  return most * (motion * 9 / 8 + names);
}

}  // namespace

std::uint64_t planned_particles(const Parameters& parameters) {
  const auto lattice = particles_per_cell(parameters.ic.load) * std::pow(static_cast<double>(parameters.ic.grid), 3);
  switch (parameters.model.kind) {
    case ModelKind::file:
      return read_snapshot_info(parameters.model.file, Unsaid::of(parameters)).particles;
    case ModelKind::box:
      return static_cast<std::uint64_t>(lattice);
    case ModelKind::sphere:
    case ModelKind::hubble_lattice: {
      const double side = parameters.model.box_size > 0 ? parameters.model.box_size : 2 * parameters.model.radius;
      const double volume = 4 * std::numbers::pi / 3 * std::pow(parameters.model.radius, 3);
      return static_cast<std::uint64_t>(lattice * volume / (side * side * side));
    }
    case ModelKind::two_body:
      return 2;
    case ModelKind::bodies:
      return read_bodies_file(parameters.model.file).size();
    default:
      return parameters.model.particles;
  }
}

double planned_period(const Parameters& parameters) {
  if (parameters.model.kind == ModelKind::box) return realisation_side(parameters.model);
  if (parameters.model.kind != ModelKind::file) return 0;
  return period_of(read_snapshot_info(parameters.model.file, Unsaid::of(parameters)).system);
}

Parameters smaller_model(const Parameters& parameters, std::uint64_t planned, std::uint64_t wanted) {
  Parameters small = parameters;
  if (planned <= wanted) return small;
  const double shrink = std::cbrt(static_cast<double>(wanted) / static_cast<double>(planned));
  if (is_comoving(parameters)) {
    small.ic.grid = std::max(2U, static_cast<std::uint32_t>(std::lround(parameters.ic.grid * shrink)));
    small.model.radius *= shrink;
    small.model.box_size *= shrink;
    if (small.ic.load == LoadKind::glass) small.ic.load = LoadKind::grid;  // costs the same to evolve
    // An equally fine mesh or, if that is too coarse for the cut-off, the accuracy's choice.
    const auto cells = static_cast<std::uint32_t>(parameters.box_force.mesh * shrink / 2) * 2;
    small.box_force.mesh = cells < 32 ? 0 : cells;
  } else {
    small.model.particles = wanted;
    if (parameters.model.kind == ModelKind::bodies) small.model.kind = ModelKind::plummer;  // costs about the same
  }
  return small;
}

double conditions_bytes(const Parameters& parameters, int ranks) {
  const bool from_file = parameters.model.kind == ModelKind::file || parameters.model.kind == ModelKind::bodies;
  if (!from_file) return model_memory(parameters.model, parameters.ic, ranks);
  return std::ceil(static_cast<double>(planned_particles(parameters)) / ranks) * store_bytes(parameters);
}

double step_bytes(const Parameters& parameters, double particles) {
  const double node_bytes = sizeof(Node) + sizeof(Multipole) + walk_node_bytes;
  // Kept from one sort to the next: (key, index) twice, buckets and order, and a spare array of each type.
  constexpr double sort = 2 * sizeof(SortScratch::Entry) + sizeof(std::uint16_t) + sizeof(std::uint32_t);
  constexpr double spare = sizeof(Vec3d) + sizeof(Vec3f) + sizeof(float) + sizeof(std::uint64_t);
  return particles * (store_bytes(parameters) + sort + spare + nodes_per_particle(parameters) * node_bytes);
}

double census_bytes(const Parameters& parameters, double particles) {
  if (parameters.output.census_epochs == 0) return 0;
  // A device's walks stay; the host's make room.
  const double walked = nodes_per_particle(parameters) * (sizeof(Node) + sizeof(Multipole) + walk_node_bytes);
  return particles * (store_bytes(parameters) + walked + CensusTree::bytes_of_copies);
}

double image_bytes(std::uint32_t pixels) {
  constexpr double pixel_bytes = 50;
  return pixel_bytes * pixels * pixels;
}

double meshes_bytes(std::uint32_t cells, int ranks) {
  const double side = cells, mesh = side * side * (side + 2) * sizeof(double);
  return (ranks > 1 ? 3 : 2) * mesh / ranks;
}

double mesh_bytes(const BoxForces& forces, double particles, int ranks) {
  return meshes_bytes(forces.mesh.cells, ranks) + clouds_bytes(particles) + forces_bytes * particles;
}

std::optional<BoxForces> planned_box_forces(const Parameters& parameters) {
  const bool all_pairs = parameters.run.backend == "ewald" || parameters.run.backend == "direct";
  const double side = all_pairs ? 0 : planned_period(parameters);
  if (!(side > 0)) return std::nullopt;
  return resolve_box_forces(parameters.box_force, parameters.force, planned_particles(parameters), side);
}

/// Bytes for reordering a rank's particles if devices leave results for the host to put in order: lasting scratch
/// memory if that is small enough, in addition to the memory used `later`; otherwise temporary memory, in place of it.
double reordering_bytes(double particles, bool by_the_host, double later) {
  const auto n = static_cast<std::size_t>(particles);
  const std::size_t lasting = ParticleStore::scratch_bytes(n);
  if (by_the_host && lasting <= ParticleStore::spare_for_speed) return static_cast<double>(lasting) + later;
  return std::max(static_cast<double>(ParticleStore::reorder_bytes(n)), later);
}

/// Bytes of a rank whose devices grow the tree: its particles, their order, what is walked, reordering, and `later`.
/// Lists in flight and the driver need a few percent more.
double grown_step_bytes(const Parameters& parameters, double particles, int devices, double later) {
  constexpr double slack = 1.08;  // measured, 512^3 and 1024^3
  const double walked = sizeof(std::uint32_t) + nodes_per_particle(parameters) * (sizeof(Node) + walk_node_bytes);
  const bool by_the_host = devices > 1 || takes_block_steps(parameters);
  return slack * (particles * (store_bytes(parameters) + walked) + reordering_bytes(particles, by_the_host, later));
}

/// Bytes on a device that grows the tree: positions twice while they are put in order, masses, keys, order, old
/// accelerations; then positions once, the tree and the host's walk records. A fifth is added for slack of allocations
/// and lists in flight.
double device_bytes(const Parameters& parameters, double particles) {
  const double particle = sizeof(Vec3d) + sizeof(float), order = sizeof(std::uint64_t) + sizeof(std::uint32_t);
  const double old = parameters.force.relative() ? sizeof(Vec3f) : 0;
  const double groups = 2 * sizeof(std::uint32_t);
  const double node_bytes = sizeof(Node) + sizeof(Multipole) + walk_node_bytes;
  const double sorting = sizeof(Vec3d) + particle + order + old;
  const double growing = particle + order + old + groups + nodes_per_particle(parameters) * node_bytes;
  constexpr double slack = 1.2;
  return slack * particles * std::max(sorting, growing);
}

/// Bytes on a device while it computes the mesh force of a store's particles and holds nothing else of them.
double device_mesh_bytes(const BoxForces& forces, double particles) {
  return particles * (sizeof(Vec3d) + sizeof(float) + forces_bytes) + force_mesh_bytes(forces, particles);
}

/// Bytes of a rank whose device makes the walks: its particles, the order in which a device gives them, page-locked and
/// with an eighth to spare, and what reordering takes, which block steps need at the first forces. A census frees the
/// lasting scratch memory, but page-locked blocks of a quarter of the particles may remain
/// (device/base/pinned_particles.cpp).
double resident_step_bytes(const Parameters& parameters, bool meshed, double particles, double later) {
  const double store = particles * store_bytes(parameters);
  const double order = particles * sizeof(std::uint32_t) * 9 / 8;
  const double always = store + order + (meshed ? mesh_results : 0);
  if (!takes_block_steps(parameters)) return always + later;
  const double lasting = static_cast<double>(ParticleStore::scratch_bytes(static_cast<std::size_t>(particles)));
  const bool lasts = lasting <= static_cast<double>(ParticleStore::spare_for_speed);
  if (!lasts || parameters.output.census_epochs == 0) return always + reordering_bytes(particles, true, later);
  return always + std::max(lasting, std::min(lasting, store / 4) + later);
}

MemoryPlan plan_memory(const Parameters& parameters, int devices, bool device_walks, int ranks) {
  MemoryPlan plan;
  plan.program = static_cast<double>(peak_memory());
  plan.particles = planned_particles(parameters);
  const auto n = static_cast<double>(plan.particles) / ranks;
  plan.initial_conditions = conditions_bytes(parameters, ranks);
  const std::optional<BoxForces> forces = planned_box_forces(parameters);
  const bool meshed = forces.has_value();
  if (meshed && devices == 0) plan.mesh = mesh_bytes(*forces, n, ranks);
  // A census makes room of what the host needs for walks, not of what devices need.
  const double census = devices > 0 && parameters.output.census_epochs > 0 ? n * sorting_bytes : 0;
  const bool resident = device_walks && devices == 1;
  const bool power = parameters.output.power && !(resident && meshed);
  const double later = std::max({plan.mesh, output_bytes(parameters, forces, plan.particles, power, ranks), census});
  if (resident) {
    const DevicePlan device = plan_device(parameters, forces, static_cast<std::uint64_t>(n));
    plan.step = resident_step_bytes(parameters, meshed, n, later) + passing_bytes(parameters.lightcone, n);
    const bool aside = parameters.trees.wanted() && !parameters.lightcone.wanted();
    if (aside) plan.step += n * (bytes_aside + friends_bytes);
    const bool counts =
        device.to_keep > 0 && !parameters.lightcone.particles;  // crossings (device/backends/kept_sky.cpp)
    plan.device = device.peak + (counts ? open_maps_bytes(parameters.lightcone) : 0);
    plan.to_keep = device.to_keep;
    plan.not_kept = device.not_kept;
  } else if (devices > 0) {
    plan.step = grown_step_bytes(parameters, n, devices, later);
    plan.device = device_bytes(parameters, n) + (devices == 1 ? n * results_bytes : 0);
    if (meshed) plan.device = std::max(plan.device, device_mesh_bytes(*forces, n));
  } else {
    plan.step = fragments * step_bytes(parameters, n) + later;
    if (parameters.output.census_epochs > 0) plan.step += n * CensusTree::bytes_alone;
    if (parameters.force.relative()) plan.step += long_lists;
  }
  plan.step += light_cone_bytes(parameters.lightcone, resident);
  if (parameters.lightcone.halos) plan.step += n * (store_bytes(parameters) + friends_bytes);
  const bool measures = std::max(parameters.output.error_sample, parameters.output.final_error_sample) > 0;
  plan.step += buffers + (ranks > 1 ? mpi_bytes : 0) + (forces && measures ? ewald_table_bytes : 0);
  plan.snapshot =
      static_cast<double>(plan.particles) * (sizeof(Vec3d) + sizeof(Vec3f) + sizeof(std::uint64_t) + sizeof(float));
  return plan;
}

/// The fastest of three is taken, because other programs may use this machine meanwhile.
StepRecord fastest_step(Simulation& simulation) {
  StepRecord fastest;
  for (int s = 0; s < 3; ++s) {
    const StepRecord step = simulation.step(simulation.next_time());
    if (step.particles_per_second > fastest.particles_per_second) fastest = step;
  }
  return fastest;
}

ListGrowth growth_of(const GravityOptions& walks, const ForceBackend& backend) {
  if (backend.all_pairs()) return ListGrowth::all_pairs;
  return walks.relative() ? ListGrowth::none : ListGrowth::far_cells;
}

TimePlan plan_time(const Parameters& parameters, ForceBackend& backend) {
  TimePlan plan;
  const std::uint64_t particles = planned_particles(parameters);
  Parameters small = smaller_model(parameters, particles, backend.all_pairs() ? sample_of_all_pairs : sample_particles);
  ParticleSystem system = starting_system(small);
  const double a_start = system.time;
  const bool comoving = system.frame == Frame::comoving;
  // Refuses whatever a run would refuse.
  comoving ? OutputSchedule::comoving(small, a_start) : OutputSchedule::newtonian(small, a_start);
  plan.sample = system.particles.size();
  small.time.steps = Steps::global;
  if (!comoving && small.softening.softening < 0) {  // the default falls with the number of particles
    const double shrink = std::cbrt(static_cast<double>(plan.sample) / static_cast<double>(particles));
    small.softening.softening = resolve_softening(small, system) * std::min(1.0, shrink);
  }
  Simulation simulation(small, std::move(system), backend);
  simulation.start();
  plan.expected =
      comoving ? expected_cosmic_steps(parameters, simulation.on_host(), simulation.uncapped_softening(), particles)
               : expected_newtonian_steps(parameters, simulation);
  const StepRecord step = fastest_step(simulation);
  const auto sample = static_cast<double>(plan.sample), all = static_cast<double>(particles);
  const MeanList measured(step.raw, sample);
  plan.list = list_among(measured, growth_of(simulation.walk_options(), backend), sample, all);
  plan.particles_per_second = step.particles_per_second * measured.total() / plan.list.total();
  plan.seconds_per_step = all / plan.particles_per_second;
  return plan;
}

}  // namespace multiwalk
