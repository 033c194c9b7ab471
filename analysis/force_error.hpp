// Relative force error of a sample against double-precision direct summation.
#pragma once

#include <cstdint>

#include "host/force/force_backend.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

struct ErrorPercentiles {
  double median = 0, p90 = 0, p99 = 0, max = 0;
  std::uint64_t sample = 0;
};

/// Compares the stored accelerations of `sample` particles (chosen by a fixed stride over a keyed permutation) with direct
/// sums. Errors are relative to |a_true + background x| (background = 0: the total acceleration; for a sphere in an
/// expanding universe 1/2 Omega_m H0^2 gives the peculiar one).
ErrorPercentiles measure_force_error(const ParticleStore& particles, const PairLaw& law, std::uint64_t sample,
                                     double background = 0, std::uint64_t seed = 1);

}  // namespace multiwalk
