// SPDX-License-Identifier: GPL-3.0-or-later
// The long-range part of split forces without a mesh: Ewald's (1921) own sum over the modes that the split leaves.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "host/exact/mode_set.hpp"
#include "host/force/long_range.hpp"

namespace multiwalk {

/// phi(x) = -G / (pi L) sum over 0 < |h| <= reach of exp(-(2 pi rs/L)^2 h^2) / h^2 sum_j m_j cos(2 pi h (x - x_j) / L):
/// times the factor of softening and cut-off (host/mesh/split_filter.hpp);
/// what mesh_force approximates, with the same conventions of the potential, exact except for the modes beyond the
/// reach. With wide splits, which leave few modes, it is a second, independent path to periodic forces; its cost is N
/// times modes.
///
/// The result is the same up to rounding for any number of ranks, and bit for bit on the same number of ranks, with any
/// number of threads. Memory: 64 bytes for four modes, 128 times. Box and scale of the split come from the law.
class LongRangeModes final : public LongRangeForce {
 public:
  /// `reach`: largest |h| = |k| L / 2 pi. Throws InputError unless it is from 1 to 64.
  explicit LongRangeModes(double reach, const Communicator& comm = {}) : modes_(reach), comm_(comm) {}

  void add(ParticleStore& particles, const PairLaw& law) override;

 private:
  ModeSet modes_;
  Communicator comm_;
};

/// The reach at which a mode's factor has fallen as far as that of pairs at the cut-off, so that both truncations are
/// similar (Kolafa & Perram 1992).
double balanced_reach(const ForceSplit& split, double box_size);

}  // namespace multiwalk
