// SPDX-License-Identifier: GPL-3.0-or-later
// Error and time of one direct summation, as every bench of them measures it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/direct/direct_backend.hpp"
#include "host/particles/bodies.hpp"

namespace multiwalk {

/// Room for the sums of n targets.
struct DirectSums {
  std::vector<Vec3d> acceleration, jerk;
  std::vector<double> potential;

  DirectSums(std::size_t n, bool with_jerk) : acceleration(n), jerk(with_jerk ? n : 0), potential(n) {}
  void ask(DirectTask& task) {
    task.acceleration = acceleration;
    task.jerk = jerk;
    task.potential = potential;
  }
};

/// All bodies over all; no results asked for yet.
DirectTask direct_task(const Bodies& bodies, double softening, bool jerk);

/// A regular sample of at most `sample` bodies with their sums in double precision, by the scalar loop.
class DirectTruth {
 public:
  DirectTruth(const Bodies& bodies, double softening, bool jerk, std::uint64_t sample);

  /// Relative errors of the sample, rising.
  [[nodiscard]] std::vector<double> acceleration_errors(const DirectSums& sums) const {
    return errors(sums.acceleration, exact_.acceleration);
  }
  [[nodiscard]] std::vector<double> jerk_errors(const DirectSums& sums) const { return errors(sums.jerk, exact_.jerk); }

 private:
  [[nodiscard]] std::vector<double> errors(const std::vector<Vec3d>& measured, const std::vector<Vec3d>& exact) const;

  std::vector<std::size_t> index_;
  DirectSums exact_;
};

struct SumSeconds {
  double call = 0;               ///< host arrays to host arrays
  std::optional<double> launch;  ///< of one evaluation by itself on the device, where the back end measures it
  std::optional<double> kernel;  ///< the mean of many in a row; the launch's if one was asked for
};

/// The fastest of `repeats` summations, fewer once they have taken `patience` seconds in all. The kernel's is the mean
/// of `in_a_row` evaluations.
SumSeconds time_sums(DirectBackend& backend, const DirectTask& task, int repeats, double patience, int in_a_row = 1);

}  // namespace multiwalk
