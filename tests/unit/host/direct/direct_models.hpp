// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies and tasks for tests of direct summation.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "host/direct/direct_backend.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::test {

struct DirectResults {
  std::vector<Vec3d> acceleration, jerk;
  std::vector<double> potential;

  explicit DirectResults(std::size_t n) : acceleration(n), jerk(n), potential(n) {}
};

/// A Plummer sphere (plummer(): M = 1, a = 3 pi/16) with masses between 0.5/n and 1.5/n and random velocities.
struct Cluster {
  std::vector<Vec3d> position, velocity;
  std::vector<double> mass;

  explicit Cluster(std::size_t n, bool equal_masses = false) {
    const ParticleStore sphere = plummer(n, 11);
    position.assign(sphere.position.begin(), sphere.position.end());
    std::mt19937_64 engine(5);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(equal_masses ? 1 : 0.5, equal_masses ? 1 : 1.5);
    for (std::size_t i = 0; i < n; ++i) {
      velocity.push_back({normal(engine), normal(engine), normal(engine)});
      mass.push_back(uniform(engine) / static_cast<double>(n));
    }
  }

  /// Forces on the bodies from `first` on, as many as there is room for.
  [[nodiscard]] DirectTask task(DirectResults& results, double softening2, DirectPrecision precision = {},
                                std::size_t first = 0) const {
    const std::size_t n = results.acceleration.size();
    DirectTask t;
    t.source_position = position;
    t.source_velocity = velocity;
    t.source_mass = mass;
    t.target_position = std::span(position).subspan(first, n);
    t.target_velocity = std::span(velocity).subspan(first, n);
    t.target_mass = std::span(mass).subspan(first, n);
    t.acceleration = results.acceleration;
    t.jerk = results.jerk;
    t.potential = results.potential;
    t.softening2 = softening2;
    t.precision = precision;
    return t;
  }
};

inline DirectResults summed(DirectBackend& backend, const Cluster& cluster, std::size_t targets, double softening2,
                            DirectPrecision precision = {}, std::size_t first = 0) {
  DirectResults results(targets);
  backend.sum(cluster.task(results, softening2, precision, first));
  return results;
}

/// Largest relative errors, of vectors by their lengths.
inline double worst(std::span<const Vec3d> a, std::span<const Vec3d> truth) {
  double result = 0;
  for (std::size_t i = 0; i < a.size(); ++i) result = std::max(result, norm(a[i] - truth[i]) / norm(truth[i]));
  return result;
}
inline double worst(std::span<const double> a, std::span<const double> truth) {
  double result = 0;
  for (std::size_t i = 0; i < a.size(); ++i) result = std::max(result, std::abs(a[i] / truth[i] - 1));
  return result;
}

}  // namespace multiwalk::test
