// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/evolve/box_forces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "decomposition/mesh/long_range_mesh.hpp"
#include "host/base/error.hpp"
#include "host/walk/opening_radii.hpp"

namespace multiwalk {

namespace {

/// One image of a source is enough for a walk if the cut-off, half a group and a cell fit into half the box.
constexpr double largest_cutoff = 0.5 - 1.5 * largest_periodic_cell;

/// The choices of an accuracy; meshes in cells per mean spacing of the particles.
struct AccuracyChoice {
  double mesh, split, cutoff, alpha;
  bool interlacing;
};

AccuracyChoice choice_of(Accuracy accuracy) {
  switch (accuracy) {
    case Accuracy::fast:
      return {1.5, 1.5, 4.3, 0.01, false};
    case Accuracy::reference:
      return {1.6, 2.1, 7, 0.0002, true};
    case Accuracy::standard:
    case Accuracy::custom:
      break;
  }
  return {1.5, 1.4, 5.8, 0.002, false};
}

/// The next even number with small prime factors, for which transforms are fast.
std::uint32_t fast_size(double least) {
  auto size = static_cast<std::uint32_t>(std::ceil(least / 2 - 1e-9)) * 2;
  for (;; size += 2) {
    std::uint32_t rest = size;
    for (const std::uint32_t prime : {2U, 3U, 5U}) {
      while (rest % prime == 0) rest /= prime;
    }
    if (rest == 1) return size;
  }
}

/// Mesh and split; `wanted`: cells per side.
void choose_mesh(const BoxForceParameters& parameters, const AccuracyChoice& choice, double wanted, double box_size,
                 BoxForces& forces) {
  const double least = choice.split * choice.cutoff / largest_cutoff;
  forces.mesh.cells = parameters.mesh > 0 ? parameters.mesh : fast_size(std::max(wanted, least));
  if (forces.mesh.cells < least) {
    throw InputError(fmt::format(
        "force.mesh = {} is too coarse: pairs up to {} x {} of its cells apart do not fit the box; give at least {}",
        forces.mesh.cells, choice.cutoff, choice.split, fast_size(least)));
  }
  forces.mesh.interlacing = choice.interlacing;
  forces.split.scale = choice.split * box_size / forces.mesh.cells;
  forces.split.cutoff = choice.cutoff * forces.split.scale;
  forces.mesh.split_scale = forces.split.scale;
}

}  // namespace

BoxForces resolve_box_forces(const BoxForceParameters& parameters, const GravityOptions& walks, std::uint64_t particles,
                             double box_size) {
  AccuracyChoice choice = choice_of(parameters.accuracy);
  if (parameters.split > 0) choice.split = parameters.split;
  constexpr double least_cutoff = 3;  // scales; beyond it lies a fifth of a pair's force
  if (parameters.cutoff > 0 && parameters.cutoff < least_cutoff) {
    throw InputError(
        fmt::format("force.cutoff = {:g} leaves out more than a fifth of the pull of pairs beyond it: give at "
                    "least {:g}, or 0 to let force.accuracy choose it",
                    parameters.cutoff, least_cutoff));
  }
  if (parameters.cutoff > 0) choice.cutoff = parameters.cutoff;
  constexpr double least_split = 0.6;  // cells; 1% of forces are then off by 1%, with 0.4 by 7%
  if (parameters.split > 0 && parameters.split < least_split) {
    throw InputError(
        fmt::format("force.split = {:g} cells is more than a mesh resolves: give at least {:g}, or 0 to let "
                    "force.accuracy choose it",
                    parameters.split, least_split));
  }
  BoxForces forces;
  choose_mesh(parameters, choice, choice.mesh * std::cbrt(static_cast<double>(particles)), box_size, forces);
  forces.walks = walks;
  if (parameters.accuracy != Accuracy::custom) {
    forces.walks.mac = Mac::relative;
    forces.walks.alpha = choice.alpha;
    forces.walks.multipole = MultipoleOrder::quadrupole;
  }
  return forces;
}

std::unique_ptr<LongRangeForce> make_long_range(const BoxForces& forces, ForceBackend& backend,
                                                const Communicator& comm) {
  return std::make_unique<LongRangeMesh>(forces.mesh, backend, comm);
}

bool splits_forces(const SystemFacts& system, const ForceBackend& backend) {
  return system.boundary == Boundary::periodic && !backend.all_pairs();
}

}  // namespace multiwalk
