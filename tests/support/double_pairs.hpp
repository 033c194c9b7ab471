// SPDX-License-Identifier: GPL-3.0-or-later
// A direct back end of the plainest kind, so that integrators are tested apart from those of the program; and what such
// tests ask of bodies.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "host/direct/direct_backend.hpp"
#include "host/gravity/gravity_pairs.hpp"
#include "host/particles/bodies.hpp"

namespace multiwalk::test {

class DoublePairs : public DirectBackend {
 public:
  [[nodiscard]] std::string_view name() const override { return "double pairs"; }
  [[nodiscard]] std::string description() const override { return "one scalar loop in double precision"; }
  void sum(const DirectTask& task) override { task.softening2 > 0 ? sum_as<true>(task) : sum_as<false>(task); }

 private:
  template <bool softened>
  static void sum_as(const DirectTask& task) {
    using Pair = GravityJerkPair<softened, SingleVector>;
    const Pair pair{task.softening2};
    for (std::size_t i = 0; i < task.target_position.size(); ++i) {
      const Vec3d target_velocity = task.target_velocity.empty() ? Vec3d{} : task.target_velocity[i];
      const typename Pair::template Target<double> target{{task.target_position[i]}, {target_velocity}};
      typename Pair::template Sum<double> sum;
      for (std::size_t j = 0; j < task.source_position.size(); ++j) {
        const Vec3d velocity = task.source_velocity.empty() ? Vec3d{} : task.source_velocity[j];
        pair(target, typename Pair::template Source<double>{{task.source_position[j]}, {velocity}, task.source_mass[j]},
             sum);
      }
      if (softened && !task.target_mass.empty())
        sum.force.potential -= task.target_mass[i] / std::sqrt(task.softening2);
      if (!task.acceleration.empty()) task.acceleration[i] = {sum.force.x, sum.force.y, sum.force.z};
      if (!task.jerk.empty()) task.jerk[i] = sum.jerk;
      if (!task.potential.empty()) task.potential[i] = -sum.force.potential;
    }
  }
};

/// Kinetic and potential energy, from places and velocities.
inline double energy(const Bodies& bodies, double softening) {
  double sum = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    sum += bodies.mass[i] * norm2(bodies.velocity[i]) / 2;
    for (std::size_t j = 0; j < i; ++j) {
      const double r2 = norm2(bodies.position[i] - bodies.position[j]) + softening * softening;
      sum -= bodies.mass[i] * bodies.mass[j] / std::sqrt(r2);
    }
  }
  return sum;
}

}  // namespace multiwalk::test
