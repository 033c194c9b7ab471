// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/conservation/core_density.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

#include "analysis/conservation/nearest.hpp"
#include "analysis/sums/rank_sums.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t neighbours = 6;

/// A body as it is sent to the ranks that search for its neighbours.
struct Query {
  Vec3d position;
  std::uint64_t id;
};

/// (N) The density around each of this rank's bodies.
std::vector<double> densities(const Bodies& bodies, const Communicator& comm) {
  std::vector<PointTree::Point> points(bodies.size());
  std::vector<Query> queries(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    points[i] = {bodies.position[i], bodies.mass[i], bodies.id[i]};
    queries[i] = {bodies.position[i], bodies.id[i]};
  }
  const PointTree tree(std::move(points));
  using Nearest = NearestPoints<neighbours>;
  const auto look = [&tree](std::span<const Query> asked, std::span<Nearest> found) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < asked.size(); ++i) tree.add_nearest(asked[i].position, asked[i].id, found[i]);
  };
  const std::vector<Nearest> nearest = sums_over_ranks<Nearest>(comm, std::span<const Query>(queries), look);
  std::vector<double> density(bodies.size());
  for (std::size_t i = 0; i < density.size(); ++i) {
    const double mass = std::accumulate(nearest[i].mass.begin(), nearest[i].mass.end() - 1, 0.0);
    density[i] = mass / (4 * std::numbers::pi / 3 * std::pow(nearest[i].square.back(), 1.5));
  }
  return density;
}

/// sum weight x / sum weight, and the sum of weights.
struct WeightedMean {
  Vec3d mean;
  double weight = 0;
};

template <class Weight>
WeightedMean weighted_mean(const Bodies& bodies, const Communicator& comm, Weight weight_of) {
  double sums[4] = {};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double weight = weight_of(i);
    for (int axis = 0; axis < 3; ++axis) sums[axis] += weight * bodies.position[i][axis];
    sums[3] += weight;
  }
  comm.sum(std::span<double>(sums));
  if (!(sums[3] > 0)) return {};
  return {(1 / sums[3]) * Vec3d{sums[0], sums[1], sums[2]}, sums[3]};
}

}  // namespace

ClusterCore cluster_core(const Bodies& bodies, const Communicator& comm) {
  ClusterCore core;
  if (comm.sum(static_cast<std::uint64_t>(bodies.size())) <= neighbours) {
    core.centre = weighted_mean(bodies, comm, [&](std::size_t i) { return bodies.mass[i]; }).mean;
    return core;
  }
  const std::vector<double> density = densities(bodies, comm);
  const WeightedMean mean = weighted_mean(bodies, comm, [&](std::size_t i) { return density[i]; });
  if (!(mean.weight > 0)) return core;
  core.centre = mean.mean;
  double sums[3] = {};  // rho^2, rho r, rho^2 r^2
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double square = density[i] * density[i], r2 = norm2(bodies.position[i] - core.centre);
    sums[0] += square;
    sums[1] += density[i] * std::sqrt(r2);
    sums[2] += square * r2;
  }
  comm.sum(std::span<double>(sums));
  core.density = sums[0] / mean.weight;
  core.density_radius = sums[1] / mean.weight;
  core.core_radius = std::sqrt(sums[2] / sums[0]);
  return core;
}

std::vector<double> lagrangian_radii(const Bodies& bodies, Vec3d centre, std::span<const double> fractions,
                                     const Communicator& comm) {
  struct Shell {
    double square, mass;
  };
  std::vector<Shell> shells(bodies.size());
  for (std::size_t i = 0; i < shells.size(); ++i) shells[i] = {norm2(bodies.position[i] - centre), bodies.mass[i]};
  std::ranges::sort(shells, {}, &Shell::square);
  std::vector<double> inside(shells.size() + 1);  // mass of the nearest bodies, 0, 1, 2, ... of them
  for (std::size_t i = 0; i < shells.size(); ++i) inside[i + 1] = inside[i] + shells[i].mass;
  const double mass = comm.sum(inside.back());

  // Bisection on the bits of the squares; for numbers that are not negative the bits rise with the number.
  std::vector<std::uint64_t> answer(fractions.size(), 0);
  std::vector<double> enclosed(fractions.size());
  for (int bit = 62; bit >= 0; --bit) {
    const std::uint64_t step = std::uint64_t{1} << bit;
    for (std::size_t f = 0; f < fractions.size(); ++f) {
      const auto below = std::ranges::lower_bound(shells, std::bit_cast<double>(answer[f] | step), {}, &Shell::square);
      enclosed[f] = inside[static_cast<std::size_t>(below - shells.begin())];
    }
    comm.sum(std::span<double>(enclosed));
    for (std::size_t f = 0; f < fractions.size(); ++f)
      if (enclosed[f] < fractions[f] * mass * (1 - 1e-12)) answer[f] |= step;
  }
  std::vector<double> radii(fractions.size());
  for (std::size_t f = 0; f < radii.size(); ++f) radii[f] = mass > 0 ? std::sqrt(std::bit_cast<double>(answer[f])) : 0;
  return radii;
}

}  // namespace multiwalk
