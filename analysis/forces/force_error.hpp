// SPDX-License-Identifier: GPL-3.0-or-later
// Relative force error of a sample against double-precision direct summation, over all ranks; in a periodic box against
// Ewald summation (host/exact/ewald.hpp, tabulated).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/sums/sampling.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/force/force_backend.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

struct ErrorPercentiles {
  double median = 0, p90 = 0, p99 = 0, max = 0;
  std::uint64_t sample = 0;
  /// 95 % intervals of p99 and median: order statistics, normal approximation of the binomial, rounded outwards.
  double p99_low = 0, p99_high = 0, median_low = 0, median_high = 0;

  /// Smaller samples say nothing about 99 %: among 200 errors it would be the third largest.
  static constexpr std::uint64_t least_for_p99 = 1000;
  [[nodiscard]] bool knows_p99() const { return sample >= least_for_p99; }
};

/// Percentiles of all ranks' unsorted errors, on every rank; NaN counts as infinite. Collective.
ErrorPercentiles percentiles(std::vector<double> errors, const Communicator& comm = {});

/// The errors of one sample relative to the total acceleration, to the peculiar one, a + background x, and to the
/// rms of the total one (where forces nearly cancel, in a nearly uniform box, the first says little).
struct ForceError {
  ErrorPercentiles total;
  ErrorPercentiles peculiar;  ///< equal to total if background is 0
  ErrorPercentiles of_rms;
};

/// A sample of all ranks' particles and what pulls them by direct or, if the law has a box, Ewald summation over all
/// ranks.
struct ForceTruth {
  std::vector<std::uint32_t> chosen;  ///< (S) this rank's, rising
  std::vector<Vec3d> pull;            ///< (S) acceleration, G included
};

/// The back end that makes direct sums, and the listener to their progress.
struct Summation {
  ForceBackend* backend = nullptr;  ///< sums if it can; else threads share the targets
  /// Called from any thread with the finished fraction of the sums, if threads share them.
  std::function<void(double)> progress = {};
};

/// The sample is that of sample_by_id. Every rank sums over its own particles; sums are added in rank order.
/// Collective.
ForceTruth sum_directly(const ParticleStore& particles, const PairLaw& law, const Sample& sample,
                        const Communicator& comm = {}, const Summation& summation = {});

/// Compares the stored accelerations with the truth about the same particles in the same order. `background`:
/// 1/2 Omega_m H0^2 for a comoving sphere in vacuum, centre at the origin. Collective.
ForceError measure_force_error(const ParticleStore& particles, const ForceTruth& truth, double background,
                               const Communicator& comm = {});

/// Both in one.
ForceError measure_force_error(const ParticleStore& particles, const PairLaw& law, const Sample& sample,
                               double background = 0, const Communicator& comm = {}, const Summation& summation = {});

}  // namespace multiwalk
