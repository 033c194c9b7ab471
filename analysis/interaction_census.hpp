// Raw and effective interaction counts (Hamada et al. 2009, section 5; Warren et al. 1997 for 38 operations a pair).
#pragma once

#include <cstdint>

#include "host/force/force_backend.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/raw_count.hpp"

namespace multiwalk {

/// Interactions the original Barnes-Hut walk (BH86, one list per particle, leaf of 1, monopole) would have made.
struct EffectiveCount {
  double pairs = 0;            ///< sum over all particles, from a sample
  double standard_error = 0;   ///< of `pairs`
  std::uint64_t sample = 0;
};

inline constexpr double operations_per_pair = 38;   ///< Warren et al. (1997) convention

/// Samples `sample` particles at random (0: all of them) and counts their BH86 lists at `theta` on a leaf-of-1 tree over
/// the same sorted particles.
EffectiveCount count_effective(const ParticleStore& sorted, const Cube& cube, double theta, std::uint64_t sample,
                               std::uint64_t seed = 1);

/// Theta at which BH86 monopole forces have the given 99 % error (bisection on a sample), and its pairs.
EffectiveCount count_equal_error_monopole(const ParticleStore& sorted, const Cube& cube, const PairLaw& law,
                                          double p99_error, std::uint64_t sample, std::uint64_t seed = 1);

}  // namespace multiwalk
