// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the particles that are bound to each other: particles with positive energy are removed in passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/subhalos/member.hpp"

namespace multiwalk {

/// The epoch, and the criteria for being bound.
struct UnbindingOptions {
  double a = 1;                ///< expansion factor
  double hubble = 0;           ///< H(a), km/s per Mpc/h
  double softening = 0;        ///< comoving Mpc/h
  std::size_t min_bound = 20;  ///< a set with fewer bound particles counts as unbound
  double converged = 0.005;    ///< stop when a pass removes at most this fraction of the particles
};

struct BoundSet {
  std::vector<std::uint32_t>
      member;              ///< all candidates: bound ones by increasing energy, then unbound ones, last removed first
  std::size_t bound = 0;   ///< 0: fewer than min_bound
  Vec3f centre, velocity;  ///< means over the most bound half: position and peculiar velocity

  [[nodiscard]] std::span<const std::uint32_t> of_bound() const { return std::span(member).first(bound); }
  [[nodiscard]] std::span<const std::uint32_t> of_unbound() const { return std::span(member).subspan(bound); }
};

/// The energy of a candidate is |v - v_c + H a (x - x_c)|^2 / 2 - (G / a) sum m / R, where the sum runs over the other
/// remaining candidates (potential.hpp), and x_c and v_c are the means over the most bound half of them. In the first
/// pass these are the means over the first half of the first `known` candidates or, if `known` is 0, over the tenth
/// that lies deepest in the potential. A smaller core would not do: while two halos merge, it moves fast relative to
/// the halo, most of which would then count as unbound. The mean over all (Han et al. 2018) would leave a small known
/// core for a larger halo nearby. The result does not depend on the number of threads.
BoundSet unbind(std::span<const Member> members, std::vector<std::uint32_t> candidates, std::size_t known,
                const UnbindingOptions& options);

}  // namespace multiwalk
