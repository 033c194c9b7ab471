// SPDX-License-Identifier: GPL-3.0-or-later
// Effective interactions: what the original Barnes-Hut walk would have made (Hamada et al. 2009, section 5).
#pragma once

#include <cstdint>

#include "analysis/forces/census_tree.hpp"
#include "analysis/forces/force_error.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/force/force_backend.hpp"
#include "host/particles/particle_store.hpp"
#include "host/walk/raw_count.hpp"

namespace multiwalk {

/// Interactions of BH86 with one list per particle, leaf of 1, monopole terms, own pair counted.
struct EffectiveCount {
  double pairs = 0;           ///< sum over all particles, from a sample
  double standard_error = 0;  ///< of `pairs`; 0 if all were counted
  std::uint64_t sample = 0;
};

inline constexpr double operations_per_pair = 38;  ///< Warren et al. (1997) convention

/// Counts the BH86 lists of a random sample of all ranks' particles at `theta`, on the tree of all ranks. The
/// same sample for any number of ranks, and the same count but for rounding at the limit of theta. Collective.
EffectiveCount count_effective(const CensusTree& tree, const ParticleStore& particles, double theta,
                               const Sample& sample, const Communicator& comm = {});

/// The error that walks of equal error share: the one that 99 % of the particles stay below, or half of them.
struct ErrorLevel {
  double error = 0;
  bool of_median = false;
};

/// The 99 % error, or the median where the sample is too small to know that.
ErrorLevel level_of(const ErrorPercentiles& e);

/// BH86 monopole walk with the theta that gives an error of this level. Where forces are split (TreePM) its error is
/// that of the short-range part relative to the whole force; by itself it is as large as the run's error with the mesh.
struct EqualErrorCount {
  double theta = 0;
  EffectiveCount count;
};

/// Measured and counted on the particles of `truth`; if forces are split, its pulls are used only as the scale of
/// relative errors. Collective.
EqualErrorCount count_equal_error_monopole(const CensusTree& tree, const ParticleStore& particles, const PairLaw& law,
                                           const ForceTruth& truth, const ErrorLevel& level,
                                           const Communicator& comm = {});

}  // namespace multiwalk
