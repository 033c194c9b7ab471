// SPDX-License-Identifier: GPL-3.0-or-later
// Which particles are bound to each other: those of positive energy are removed until none is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/subhalos/member.hpp"

namespace multiwalk {

/// The epoch and what counts as bound.
struct UnbindingOptions {
  double a = 1;                ///< expansion factor
  double hubble = 0;           ///< H(a), km/s per Mpc/h
  double softening = 0;        ///< comoving Mpc/h
  std::size_t min_bound = 20;  ///< fewer are none
  double converged = 0.005;    ///< ends when a pass removes at most this fraction of the particles
};

/// The particles with the lowest energies, a tenth but at least ten, whose mean place and velocity are the set's.
std::size_t core_of(std::size_t particles);

struct BoundSet {
  std::vector<std::uint32_t>
      member;              ///< all candidates: the bound by rising energy, then the unbound, last removed first
  std::size_t bound = 0;   ///< 0: fewer than min_bound
  Vec3f centre, velocity;  ///< mean of the core; place and peculiar velocity

  [[nodiscard]] std::span<const std::uint32_t> of_bound() const { return std::span(member).first(bound); }
  [[nodiscard]] std::span<const std::uint32_t> of_unbound() const { return std::span(member).subspan(bound); }
};

/// The energy of a candidate is |v - v_c + H a (x - x_c)|^2 / 2 - (G / a) sum m / R over the other candidates left
/// (potential.hpp), relative to the core. The first core is that of the first `known` candidates; 0: of those with the
/// lowest potential. The same for any number of threads.
BoundSet unbind(std::span<const Member> members, std::vector<std::uint32_t> candidates, std::size_t known,
                const UnbindingOptions& options);

}  // namespace multiwalk
