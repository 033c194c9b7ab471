// SPDX-License-Identifier: GPL-3.0-or-later
// Block steps of particles that a device keeps: rungs and their kicks, as host/time/rungs.hpp, with the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/base/stream.cuh"
#include "device/particles/step_kernels.cuh"
#include "host/particles/rung.hpp"

namespace multiwalk {

/// Kept particles with rungs, in device memory.
struct RungArrays : KeptArrays {
  const Vec3f* long_range;
  std::uint8_t* rung;

  RungArrays(const StoreCopy& store, std::size_t count)
      : KeptArrays(store, count), long_range(store.long_range.data()), rung(store.rung.data()) {}
};

/// Particles on each rung, and those whose accelerations are not finite.
struct RungCounts {
  unsigned long long on[rung_count];
  unsigned long long not_finite;
};

/// Kick factors of the rungs.
struct RungFactors {
  double of[rung_count];
};

/// Enqueues the choice of new rungs for particles of rung `synchronised` and deeper; adds to `counts`.
void assign_rungs(const RungArrays& kept, const RungCriterion& criterion, double background, int synchronised,
                  RungCounts* counts, const Stream& stream);
/// Enqueues the kick of particles of rung `least` and deeper without the long-range force.
void kick_rungs(const RungArrays& kept, const RungFactors& factor, double background, int least, const Stream& stream);
/// Enqueues velocity += factor long_range.
void kick_long_range(const RungArrays& kept, double factor, const Stream& stream);
/// Enqueues position += factor velocity.
void drift(const RungArrays& kept, double factor, const Stream& stream);
/// Enqueues the wrapping of positions into a periodic box.
void wrap(const RungArrays& kept, double side, const Stream& stream);

}  // namespace multiwalk
