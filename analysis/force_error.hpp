// Relative force error of a sample against double-precision direct summation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/force/force_backend.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

struct ErrorPercentiles {
  double median = 0, p90 = 0, p99 = 0, max = 0;
  std::uint64_t sample = 0;
};

/// Percentiles of unsorted errors; NaN counts as infinite.
ErrorPercentiles percentiles(std::vector<double> errors);

/// The same sample judged against the total acceleration and against the peculiar one, a + background x.
struct ForceError {
  ErrorPercentiles total;
  ErrorPercentiles peculiar;  ///< equal to total if background is 0
};

/// Compares the stored accelerations of `sample` particles (0: all) with direct sums. `background`: 1/2 Omega_m H0^2
/// for a comoving sphere in vacuum, centre at the origin.
ForceError measure_force_error(const ParticleStore& particles, const PairLaw& law, std::uint64_t sample,
                               double background = 0, std::uint64_t seed = 1);

}  // namespace multiwalk
