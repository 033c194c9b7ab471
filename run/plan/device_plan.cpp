// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/plan/device_plan.hpp"

#include <algorithm>
#include <cmath>

#include "host/tree/octree.hpp"
#include "host/walk/group.hpp"
#include "host/walk/walk_batch.hpp"
#include "host/walk/walk_families.hpp"
#include "run/outputs/power_output.hpp"

namespace multiwalk {

namespace {

constexpr double position = sizeof(Vec3d), vector = sizeof(Vec3f), number = sizeof(float);
constexpr double index = sizeof(std::uint32_t), key = sizeof(std::uint64_t), rung = sizeof(std::uint8_t);

/// Nodes per N / leaf_size. Not derivable: counted in a box of 64^3 in 125 Mpc/h and leaves of 16, 2.5 at z = 127, 3.4
/// at z = 2 and 4.1 at z = 0.5, when many cells hold a few particles too many. Isolated models have 2.2.
constexpr double nodes_of_cosmology = 4, nodes_of_model = 2.2;
constexpr double children_of_family = 7;                     // counted there: 6.9 to 8
constexpr double groups_per_full = 1.5;                      // groups are two thirds full; counted: 128 of 192
constexpr std::uint32_t usual_group = 192;                   // MultiwalkBackend's
constexpr double some = 17.0 / 16, more = 9.0 / 8;           // of an array that grows
constexpr double brought_home_at_once = 4194304 * position;  // KeptStore::bytes_in_order

/// ListMaker's: its budget where the device has eight times as much left, and the warps of an H100 or H200.
constexpr double list_budget = 6.0 * 1024 * 1024 * 1024;
constexpr double warps = 132 * 8 * 4, entries_of_warp = 8192, lists_of_warp = 5;
/// Lengths that it assumes before it knows better. Not derivable: walks of 128 took 4 to 12 kB in place of these 10.
constexpr double cells_of_walk = 1500, ranges_of_walk = 150, margin = 1.1;

struct Count {
  double particles = 0;
  double groups = 0;
  bool rungs = false, relative = false, box = false, cosmological = false;
  std::uint32_t leaf_size = 0;
};

/// Bytes of node moments, which remain when the rest of the tree goes.
double moment_bytes(double nodes) {
  return some * nodes * sizeof(Multipole);
}

/// A box has at least as many nodes as a lattice, whose leaves are the first cells with at most leaf_size particles.
double node_count(const Count& count) {
  const double usual = (count.cosmological ? nodes_of_cosmology : nodes_of_model) * count.particles / count.leaf_size;
  if (!count.box) return usual;
  double leaf = count.particles;
  while (leaf > count.leaf_size) leaf /= 8;
  return std::max(usual, count.particles / leaf * 8 / 7);
}

/// NodeSplitter and GroupMaker, and the keys of nodes: what remains of a tree with rungs while its particles move.
double lasting_tree_bytes(const Count& count, bool rungs) {
  const double nodes = node_count(count), expected = 1.5 * 2.5 * count.particles / count.leaf_size;
  const double split = (nodes > expected ? 1.5 * nodes : expected) * sizeof(Node);
  const double pull = count.relative ? number : 0;
  return split + (rungs ? some * nodes * key : 0) + count.groups * (sizeof(Group) + pull);
}

/// The whole tree: in addition, moments, FamilyMaker and, with rungs, MovedCells and ActiveGroups.
double tree_bytes(const Count& count, bool rungs) {
  const double nodes = node_count(count);
  const double families = more * nodes / children_of_family * sizeof(WalkFamily);
  const double moved = rungs ? nodes * (some * number + index) : 0;
  const double active = rungs ? rung + index + 1.25 * (sizeof(Group) + sizeof(ParticleRange) + number) : 0;
  return lasting_tree_bytes(count, rungs) + moment_bytes(nodes) + families + moved + count.groups * active;
}

/// ListMaker: memory of warps, the lists of a launch, and numbers of groups. In a vacuum a few walks have long lists
/// and get a round of their own, in which warps have all that they may have, a third of the budget.
double list_bytes(const Count& count) {
  const double of_warps = std::min(warps, count.groups) * lists_of_warp * entries_of_warp * index;
  const double targets = count.particles / count.groups;
  const double walk =
      sizeof(Walk) + margin * (cells_of_walk * index + ranges_of_walk * sizeof(ParticleRange) + targets * 4 * number);
  return (count.box ? of_warps : list_budget / 3) + std::min(list_budget / 2, count.groups * walk) +
         3 * index * count.groups;
}

double mesh_size(std::uint32_t cells, double value) {
  const double side = cells;
  return side * side * (side + 2) * value;
}

/// DeviceSpectrum: two meshes and the order of particles, or cuFFT's working memory.
double spectrum_bytes(const Parameters& parameters, const BoxForces& forces, std::uint64_t particles) {
  if (!parameters.output.power) return 0;
  const double mesh = mesh_size(output_power_options(particles, forces.mesh.cells).mesh, sizeof(double));
  return 2 * mesh + std::max(mesh, index * static_cast<double>(particles));
}

/// An evaluation of particles that are on the host: sorting, walking, the mesh force. Their positions, masses, order
/// and results stay until the next one.
double first_evaluation(const Count& count, const std::optional<BoxForces>& forces) {
  const double n = count.particles, old = count.relative ? vector : 0;
  const double sorting = n * (2 * position + number + old + key + index);
  const double held = n * (position + number + index + vector + 2 * number);
  const double walking = held + tree_bytes(count, false) + list_bytes(count);
  const double copies = n * (position + number + vector + number);
  return std::max({sorting, walking, forces ? copies + force_mesh_bytes(*forces, n) : 0});
}

/// Bytes that KeptStore holds: position, velocity, mass, acceleration, place in the store and room for another.
double kept_bytes(const Count& count) {
  const double rungs = count.rungs ? vector + 2 * rung : 0;
  return count.particles * (position + 2 * vector + number + 2 * index + rungs) +
         std::min(brought_home_at_once, count.particles * position);
}

/// Bytes that an evaluation allocates beside the kept particles. Its sort needs positions, keys and an order; the
/// making of groups needs keys and marks; walks need potentials, work and lists.
double evaluation_of_kept(const Count& count) {
  const double n = count.particles, tree = tree_bytes(count, count.rungs);
  return std::max({n * (position + key + index), n * (key + index) + tree, n * 2 * number + tree + list_bytes(count)});
}

}  // namespace

/// DeviceMesh::add: modes and a field, whose memory first holds the counts; cuFFT's working memory; and the order of
/// particles. The working memory is assumed to be as large as what is transformed at a time, at most a mesh. This
/// cannot be derived, but peaks with 768 and 1024 cells per side agree with it.
double force_mesh_bytes(const BoxForces& forces, double particles) {
  constexpr double whole_cells = 1024, part = 64.0 * 1024 * 1024 * 2 * number;  // MeshTransform::Limits
  const std::uint32_t cells = forces.mesh.cells;
  const double meshes = forces.mesh.interlacing ? 2 : 1, mesh = mesh_size(cells, number);
  return (1 + meshes) * mesh + (cells > whole_cells ? std::min(part, mesh) : mesh) + meshes * index * particles;
}

DevicePlan plan_device(const Parameters& parameters, const std::optional<BoxForces>& forces, std::uint64_t particles) {
  Count count;
  const auto n = count.particles = static_cast<double>(particles);
  const GravityOptions& walks = forces ? forces->walks : parameters.force;
  count.groups = std::max(1.0, groups_per_full * n / walks.most_in_group(usual_group));
  count.rungs = takes_block_steps(parameters, forces.has_value());
  count.relative = walks.relative();
  count.box = forces.has_value();
  const ModelKind kind = parameters.model.kind;
  count.cosmological =
      forces || kind == ModelKind::sphere || kind == ModelKind::hubble_lattice || kind == ModelKind::file;
  count.leaf_size = walks.leaf_size;
  DevicePlan plan;
  plan.peak = plan.not_kept = first_evaluation(count, forces);
  const double kept = kept_bytes(count), copies = n * (position + number + vector);  // KeptStore::fits
  plan.to_keep = plan.peak - copies + kept;
  plan.peak = std::max(plan.peak, kept + evaluation_of_kept(count));
  if (forces) {
    const double mesh = std::max(force_mesh_bytes(*forces, n), spectrum_bytes(parameters, *forces, particles));
    const double tree = count.rungs ? lasting_tree_bytes(count, true) : 0;
    plan.peak = std::max(plan.peak, kept + n * 2 * number + tree + mesh);
  }
  plan.to_keep = std::max(plan.to_keep, plan.peak);
  return plan;
}

}  // namespace multiwalk
