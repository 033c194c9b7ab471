// SPDX-License-Identifier: GPL-3.0-or-later
// The precision of direct sums.
#pragma once

namespace multiwalk {

/// How pair terms are added up. Single-precision pairs unless said otherwise.
enum class Accumulation {
  plain,        ///< one single-precision sum (on SIMD units one in each lane)
  chamomile,    ///< single-precision sums of a few hundred pairs, added in single precision (Hamada & Iitaka 2007)
  compensated,  ///< single-precision sums that carry their rounding errors (Kahan 1965)
  mixed,        ///< single-precision sums of at most 128 pairs, added in double precision
  full          ///< pairs and sums in double precision
};

/// How coordinates and velocities are given to single-precision pairs.
enum class Splitting {
  single,  ///< rounded to single precision about the sources' centre
  hi_lo    ///< the sum of two single-precision numbers: separations as accurate as those of doubles
};

struct DirectPrecision {
  Accumulation accumulation = Accumulation::mixed;
  Splitting splitting = Splitting::hi_lo;
};

}  // namespace multiwalk
