// SPDX-License-Identifier: GPL-3.0-or-later
// One P(EC)^n step of some bodies of a system (Makino & Aarseth 1992), common to shared and block steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/time/direct_integrator.hpp"

namespace multiwalk {

class HermiteStep {
 public:
  /// The bodies that step, and (after step()) the steps that Aarseth's criterion allows them next.
  std::vector<std::uint32_t> active;  ///< rising
  std::vector<double> wanted;

  /// Predicts all bodies over elapsed[rung[i]], evaluates the forces on the active ones and corrects them: positions,
  /// velocities, accelerations, jerks and potentials (those of the last prediction evaluated). Throws Error if a force
  /// is not finite. Collective.
  void step(const DirectOptions& options, std::span<const std::uint8_t> rung, std::span<const double> elapsed,
            DirectForces& forces, Bodies& bodies);

 private:
  void predict_all(const Bodies& bodies, std::span<const std::uint8_t> rung, std::span<const double> elapsed);
  void gather_targets(const Bodies& bodies);
  void evaluate(const DirectOptions& options, const Bodies& bodies, DirectForces& forces);
  /// Replaces the active bodies' predictions by the corrected values.
  void correct_predictions(const Bodies& bodies, std::span<const std::uint8_t> rung, std::span<const double> elapsed);

  std::vector<Vec3d> position_, velocity_;                ///< (N) predicted
  std::vector<Vec3d> target_position_, target_velocity_;  ///< (active), like all below
  std::vector<double> target_mass_;
  std::vector<Vec3d> acceleration_, jerk_;
  std::vector<double> potential_;
};

}  // namespace multiwalk
