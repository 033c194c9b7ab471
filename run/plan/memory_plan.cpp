// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/plan/memory_plan.hpp"

#include <array>
#include <cmath>
#include <optional>

#include "analysis/forces/census_tree.hpp"
#include "analysis/halos/group_order.hpp"
#include "analysis/pictures/local_spacing.hpp"
#include "decomposition/mesh/density_mesh.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/walk_families.hpp"
#include "ic/models/make_load.hpp"
#include "run/outputs/power_output.hpp"
#include "run/outputs/work_aside.hpp"
#include "run/plan/planned_model.hpp"

namespace multiwalk {

namespace {

double store_bytes(bool rungs) {
  ParticleStore store;
  store.set_rungs(rungs);
  double bytes = 0;
  store.for_each_array([&bytes](const char*, const auto& array) { bytes += sizeof(array[0]); });
  return bytes;
}

/// Counted in units of 1 / leaf_size: 2.2 in isolated models; in a box of 64^3 particles in 125 Mpc/h 2.5 at z = 127,
/// 3.4 at z = 2 and 4.1 at z = 0.5. A lattice may have more: its leaves are the first cells with few enough particles.
double nodes_per_particle(const Parameters& parameters) {
  constexpr double of_model = 2.2, of_cosmology = 3.2;
  const double leaf_size = parameters.force.leaf_size;
  if (!has_grid(parameters)) return (parameters.model.kind == ModelKind::file ? of_cosmology : of_model) / leaf_size;
  double leaf = particles_per_cell(parameters.ic.load) * std::pow(parameters.ic.grid, 3);
  while (leaf > leaf_size) leaf /= 8;
  return std::max(of_cosmology / leaf_size, 8.0 / 7 / leaf);
}

double mesh_size(std::uint32_t cells, double value) {
  const double side = cells;
  return side * side * (side + 2) * value;
}

/// One run, one rank.
class RankMemory {
 public:
  RankMemory(const Parameters& parameters, const RunShape& shape)
      : p_(parameters),
        shape_(shape),
        forces_(planned_box_forces(parameters)),
        all_(planned_particles(parameters)),
        n_(shape.fullest * static_cast<double>(all_) / shape.ranks),
        nodes_(n_ * nodes_per_particle(parameters)),
        blocks_(takes_block_steps(parameters, forces_.has_value())),
        store_(store_bytes(blocks_)) {
    keeps_ = shape.device_walks && shape.devices == 1;
    device_mesh_ = forces_ && shape.devices > 0;
  }

  [[nodiscard]] MemoryPlan plan() const {
    MemoryPlan plan;
    plan.particles = all_;
    plan.program = shape_.program;
    plan.initial_conditions = conditions();
    plan.step = particles_and_tree() + std::max(host_mesh(), outputs()) + light_cone() + working +
                (forces_ ? ewald_table : 0) + (shape_.ranks > 1 ? exchanged * std::pow(n_, 2.0 / 3) : 0);
    if (shape_.devices == 0) return plan;
    plan.device = fed_device();
    if (!keeps_) return plan;
    plan.not_kept = plan.device;
    plan.device = keeping_device();
    return plan;
  }

 private:
  static constexpr double position = sizeof(Vec3d), vector = sizeof(Vec3f), number = sizeof(float);
  static constexpr double index = sizeof(std::uint32_t), key = sizeof(std::uint64_t), rung = sizeof(std::uint8_t);

  // Bytes of a particle beside its store's, while it is ...
  static constexpr double sorted = 2 * sizeof(SortScratch::Entry) + sizeof(std::uint16_t) + index;
  static constexpr double reordered = position + vector + number + key + rung;  // ReorderScratch
  static constexpr double given_mesh_forces = vector + number;
  static constexpr double linked_to_friends = 60;  // measured
  static constexpr double passing = 57;            // page-locked and named (device/backends/kept_passing.cpp)

  // Bytes of a node: of the octree with its moments, of walks (a record for 7 children, counted 6.5 to 8), and on a
  // device that grows, moves and walks it, of which some remain with rungs while particles move (counted).
  static constexpr double walked_node = number + index + sizeof(WalkFamily) / 7.0;
  static constexpr double node = sizeof(Node) + sizeof(Multipole) + walked_node;
  static constexpr double device_node = 130, lasting_device_node = 24;

  // Bytes as such.
  static constexpr double cloud = 80;             // of a particle's mass, DensityOptions::in_flight of them
  static constexpr double working = 18e6;         // lists, rows of files under way; measured
  static constexpr double ewald_table = 15e6;     // host/exact/ewald.hpp
  static constexpr double exchanged = 14e3;       // of a particle at the surface of a domain; measured on 2 and 4 ranks
  static constexpr double locked_results = 38e6;  // two pieces of the mesh's (device/mesh/device_mesh.cpp)
  static constexpr double summed_at_once = 3e8;   // device/mesh/sum_over_ranks.cuh
  static constexpr double lists = 0.7e9;          // of a device's warps in a box (ListMaker)
  static constexpr double long_lists = 2.1e9;     // in a vacuum
  static constexpr double lists_of_particle = 100, most_lists = 3.2e9;  // of the walks of a launch
  static constexpr double fragments = 1.08;  // of the heap, with the lists under way; measured

  static double clouds_bytes(double particles) {
    return cloud * std::min(particles, static_cast<double>(DensityOptions().in_flight)) + index * particles;
  }

  /// Meshes of ic.grid^3 cells: the density and the potentials that move particles with one for interpolation; before
  /// them products on finer meshes; and what a transform on several ranks takes besides.
  [[nodiscard]] double conditions() const {
    struct Meshes {
      double moving, products, of_ranks;
    };
    constexpr std::array<Meshes, 3> of_order{{{2, 0, 1}, {3, 7.75, 3.4}, {8, 25, 8}}};
    constexpr double finer = 3.4, glass = position + cloud + sizeof(double);
    const double store = store_bytes(false);
    const double particles = static_cast<double>(all_) / shape_.ranks;
    if (!has_grid(p_)) return particles * store;
    const bool made = p_.model.kind != ModelKind::hubble_lattice, glassy = p_.ic.load == LoadKind::glass;
    const Meshes meshes = of_order[static_cast<std::size_t>(p_.ic.lpt_order) - 1];
    const double mesh = made ? mesh_size(p_.ic.grid, sizeof(double)) / shape_.ranks : 0;
    const double more = shape_.ranks > 1 ? meshes.of_ranks : 0;
    const double moving = meshes.moving + (shape_.ranks > 1 ? 1 : 0) + (glassy ? finer : 0);
    return std::max(moving * mesh + particles * (store + key + (glassy ? glass : 0)), (meshes.products + more) * mesh);
  }

  /// For putting a device's results in order; counts of interactions make room of it.
  [[nodiscard]] double scratch() const {
    return std::min(n_ * reordered, static_cast<double>(ParticleStore::spare_for_speed));
  }

  /// The store, what sorts it, and the tree, as far as they are on the host.
  [[nodiscard]] double particles_and_tree() const {
    if (shape_.devices == 0) {
      const double census = p_.output.census_epochs > 0 ? CensusTree::bytes_alone : 0;
      return fragments * (n_ * (store_ + sorted + reordered) + nodes_ * node) + n_ * census;
    }
    if (keeps_) return n_ * (store_ + index * 9 / 8) + (blocks_ ? scratch() : 0) + (forces_ ? locked_results : 0);
    return fragments * (n_ * (store_ + index) + nodes_ * (sizeof(Node) + walked_node)) + scratch();
  }

  [[nodiscard]] double host_mesh() const {
    if (!forces_ || device_mesh_) return 0;
    return meshes_bytes(forces_->mesh.cells, shape_.ranks) + clouds_bytes(n_) + n_ * given_mesh_forces;
  }

  [[nodiscard]] double friends() const {
    const OutputParameters& output = p_.output;
    if (output.halos && output.snapshots) return group_order_bytes;
    return output.halos || p_.trees.wanted() ? linked_to_friends : 0;
  }

  [[nodiscard]] double mesh_of(std::uint32_t cells) const {
    return cells > 0 ? meshes_bytes(cells, shape_.ranks) + clouds_bytes(n_) : 0;
  }

  [[nodiscard]] double picture() const {
    const double thickness = forces_ ? 1.0 / 4 : has_grid(p_) ? 1.0 / 6 : 1;  // of its slab
    return image_bytes(p_.output.image_pixels) + thickness * LocalSpacing::bytes(static_cast<std::uint64_t>(n_));
  }

  [[nodiscard]] double outputs() const {
    const OutputParameters& output = p_.output;
    const double census = shape_.ranks > 1 ? CensusTree::bytes_of_copies : sorted;
    const bool power = forces_ && output.power && !keeps_;
    return std::max({output.images ? picture() : 0, mesh_of(p_.grids.wanted() ? p_.grids.cells : 0),
                     std::pow(p_.planes.pixels, 2) * 2 * sizeof(double), n_ * friends(),
                     shape_.devices > 0 && output.census_epochs > 0 ? n_ * census - scratch() : 0,
                     mesh_of(power ? output_power_options(all_, forces_->mesh.cells).mesh : 0)});
  }

  /// Maps of the two shells that light may be passing, if both are hit everywhere.
  [[nodiscard]] double open_maps() const {
    constexpr double at_once = 2, pixels_of_base = 12;
    const double pixel = sizeof(std::uint32_t) + (p_.lightcone.shell_velocities ? sizeof(std::int64_t) : 0);
    return p_.lightcone.shells ? at_once * pixels_of_base * std::pow(p_.lightcone.nside, 2) * pixel : 0;
  }

  /// With work that another thread does beside the steps of a device: two more shells are being written.
  [[nodiscard]] double light_cone() const {
    constexpr double few = 3e7;  // of which all may pass at once
    double bytes = (keeps_ ? 2 : 1) * open_maps();
    if (keeps_ && p_.lightcone.particles) bytes += passing * std::min(n_, std::max(n_ / 2, few));
    if (keeps_ && p_.trees.wanted() && !p_.lightcone.wanted()) bytes += n_ * (bytes_aside + linked_to_friends);
    if (p_.lightcone.halos) bytes += n_ * (store_ + linked_to_friends);
    return bytes;
  }

  [[nodiscard]] bool relative() const { return (forces_ ? forces_->walks : p_.force).relative(); }

  [[nodiscard]] double device_lists() const {
    const double of_warps = keeps_ && !forces_ ? long_lists : lists;
    return of_warps + (keeps_ ? std::min(most_lists, n_ * lists_of_particle) : 0);
  }

  /// A device that evaluates the forces of particles that are in host memory: their positions twice while they are
  /// sorted, then the tree, groups and results; or the mesh.
  [[nodiscard]] double fed_device() const {
    const double particle = position + number + key + index + (relative() ? vector : 0);
    const double results = vector + number + index, groups = 2 * index;
    const double tree = nodes_ * (keeps_ ? device_node : node);
    return std::max({n_ * (particle + position), n_ * (particle + groups + results) + tree + device_lists(),
                     device_mesh_ ? n_ * (position + number + given_mesh_forces) + force_mesh() : 0});
  }

  /// Modes and a field, whose memory first holds the counts, cuFFT's working memory (as large as what is transformed at
  /// a time) and the order of the particles (DeviceMesh::add).
  [[nodiscard]] double force_mesh() const {
    constexpr double largest_at_once = 1024, part = 0.5e9;  // cells per side, bytes: MeshTransform::Limits
    const std::uint32_t cells = forces_->mesh.cells;
    const double meshes = forces_->mesh.interlacing ? 2 : 1, mesh = mesh_size(cells, number);
    const double work = cells > largest_at_once ? std::min(part, mesh) : mesh;
    return (1 + meshes) * mesh + work + meshes * index * n_ + (shape_.ranks > 1 ? summed_at_once : 0);
  }

  /// A device on which the particles stay: position, velocity, mass, acceleration, place and room for another, and what
  /// rungs need; beside them in turn a sort, the walks, the mesh of the forces or of the power spectrum.
  [[nodiscard]] double keeping_device() const {
    constexpr double brought_home_at_once = 4194304 * position;  // KeptStore
    const double particle = position + 2 * vector + number + 2 * index + (blocks_ ? vector + 2 * rung : 0);
    const double held = n_ * particle + std::min(n_ * position, brought_home_at_once);
    double far = 0;
    if (forces_) {
      const bool power = p_.output.power;
      const double spectrum =
          power ? 3 * mesh_size(output_power_options(all_, forces_->mesh.cells).mesh, sizeof(double)) : 0;
      far = n_ * 2 * number + (blocks_ ? nodes_ * lasting_device_node : 0) + std::max(force_mesh(), spectrum);
    }
    const double walks = n_ * 2 * number + nodes_ * device_node + device_lists();
    return held + std::max({n_ * (position + key + index), walks, far}) + (p_.lightcone.particles ? 0 : open_maps());
  }

  const Parameters& p_;
  const RunShape& shape_;
  std::optional<BoxForces> forces_;
  std::uint64_t all_;
  double n_, nodes_;
  bool blocks_;
  double store_;
  bool keeps_, device_mesh_;
};

}  // namespace

MemoryPlan plan_memory(const Parameters& parameters, const RunShape& shape) {
  return RankMemory(parameters, shape).plan();
}

double image_bytes(std::uint32_t pixels) {
  constexpr double pixel_bytes = 50;  // measured
  return pixel_bytes * pixels * pixels;
}

double meshes_bytes(std::uint32_t cells, int ranks) {
  return (ranks > 1 ? 3 : 2) * mesh_size(cells, sizeof(double)) / ranks;
}

double snapshot_bytes(std::uint64_t particles) {
  constexpr double row = sizeof(Vec3d) + sizeof(Vec3f) + sizeof(std::uint64_t);  // equal masses are stated once
  return row * static_cast<double>(particles);
}

}  // namespace multiwalk
