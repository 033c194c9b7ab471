// SPDX-License-Identifier: GPL-3.0-or-later
// Block steps: every particle moves by its own power-of-two fraction of a common block. The long-range force acts as
// impulses at the ends of the block, pair forces within it (Tuckerman et al. 1992; Springel et al. 2021, section 4).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "host/particles/particle_store.hpp"
#include "host/particles/rung.hpp"

namespace multiwalk {

/// From one time at which all particles are synchronised to the next, divided into ticks equal in ln a (comoving) or
/// time.
class Block {
 public:
  static constexpr std::uint32_t ticks = std::uint32_t{1} << deepest_rung;

  Block(double from, double to, bool comoving) : from_(from), to_(to), comoving_(comoving) {}

  /// Expansion factor or time, exact at both ends.
  [[nodiscard]] double at(double tick) const;
  /// In ln a or time.
  [[nodiscard]] double length() const;

 private:
  double from_, to_;
  bool comoving_;
};

/// Length of a rung's step, in ticks.
inline std::uint32_t step_ticks(int rung) {
  return Block::ticks >> rung;
}

/// The shallowest rung with a step that ends at this tick of a block; steps of all deeper rungs end there too.
inline int synchronised_rung(std::uint32_t tick) {
  return std::max(0, deepest_rung - std::countr_zero(tick));
}

/// New rungs for the particles of rung `synchronised` and deeper, whose steps end now: any shorter step, but none
/// longer than those that begin now. Returns the number of this store's particles on each rung. Throws Error if an
/// acceleration is not finite.
PerRung<std::uint64_t> assign_rungs(ParticleStore& particles, const RungCriterion& criterion, double background,
                                    int synchronised);

/// velocity += factor[rung] (acceleration - long_range + background x) for particles of rung `least` and deeper.
void kick_rungs(ParticleStore& particles, const PerRung<double>& factor, double background, int least);

/// velocity += factor long_range.
void kick_long_range(ParticleStore& particles, double factor);

}  // namespace multiwalk
