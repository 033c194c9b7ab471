// SPDX-License-Identifier: GPL-3.0-or-later
// TreePM's short-range pair (Bagla 2002; Springel 2005): Newton's force minus that of the mesh, which is the force of
// Gaussian clouds. Both are softened: all is a function of R^2 = r^2 + eps^2. With l(R) = erf(R/2rs)/R every derivative
// of 1/R is reduced by that of l: p0 = 1/R - l, p1 = 1/R^3 - g1, p2 = 3/R^5 - g2, p3 = 15/R^7 - g3, where g0 = l,
// g(n+1) = -g(n)'/R. These are Boys functions, g(n) = (2b)^n c F(n)(b R^2) with b = 1/4rs^2, c = 1/(rs sqrt(pi)),
// entire in R^2: the highest needed is a polynomial, the others follow without loss from F(n) = (2z F(n+1) +
// exp(-z))/(2n+1). In Fourier space the softened l is a factor of the mesh's filter (host/gravity/softened_wave.hpp).
//
// Cut off like that, the pull would jump to zero, and the jump would be missing in a lattice, none of whose particles
// crosses the cut-off. Therefore a pull proportional to r is subtracted, so that the rest reaches zero where R is the
// cut-off; the mesh adds it (host/mesh/missed_pairs.hpp). p0 becomes p0 - level + slope R^2/2, p1 becomes p1 - slope.
#pragma once

#include "host/base/host_device.hpp"
#include "host/gravity/pair_force.hpp"

namespace multiwalk {

/// How a force is split: the mesh gives the part smoothed over `scale`, pairs within `cutoff` give the rest. Lengths.
struct ForceSplit {
  double scale = 0;   ///< rs; 0: the force is not split
  double cutoff = 0;  ///< of R; 0: none
};

/// Makes the short range end at zero at the cut-off: pairs subtract slope r from the pull and level - slope R^2 / 2
/// from the potential.
struct PairEnd {
  double slope = 0, level = 0;
};
/// cutoff 0: nothing.
PairEnd pair_end(const ForceSplit& split);
/// The potential (positive) that pairs of a unit mass lack at its own position, and the mesh gives: l(eps), and level -
/// slope eps^2 / 2; beyond the cut-off all of it.
double long_range_depth(const ForceSplit& split, double softening);

/// The split in single precision, for kernels.
struct ShortRange {
  static constexpr int degree = 13;

  float cutoff2 = 0;
  float rate = 0;              ///< b
  float peak = 0;              ///< c
  float slope = 0, level = 0;  ///< PairEnd
  float stretch = 0;           ///< the polynomials' variable is stretch R^2 - 1, in [-1, 1]
  int first_degree = degree;   ///< of the polynomial of g1: the higher coefficients are 0
  float first[degree + 1]{};   ///< of g1 + slope
  float third[degree + 1]{};   ///< of g3
  float boys[degree + 1]{};    ///< of F(expansion)

  ShortRange() = default;
  /// Polynomials within 1e-6 of g's value at 0 for cut-offs up to 7 scales, 1e-5 up to 8.
  /// `expansion`: order of local expansions.
  explicit ShortRange(const ForceSplit& split, int expansion = 0);

  /// g1 + slope.
  template <class T>
  [[nodiscard]] MULTIWALK_HOST_DEVICE T reduction(T R2) const;
  /// c exp(-b R^2).
  template <class T>
  [[nodiscard]] MULTIWALK_HOST_DEVICE T gaussian(T R2) const;
};

/// The amounts by which the derivatives of 1/R are reduced.
template <class T>
struct LongRangeDerivatives {
  T g0, g1, g2, g3;
};

template <class T>
MULTIWALK_HOST_DEVICE T short_range_polynomial(const float* coefficient, T y) {
  T sum(coefficient[ShortRange::degree]);
  for (int k = ShortRange::degree; k-- > 0;) sum = sum * y + T(coefficient[k]);
  return sum;
}

template <class T>
MULTIWALK_HOST_DEVICE T ShortRange::reduction(T R2) const {
  return short_range_polynomial(first, T(stretch) * R2 - T(1.0F));
}

template <class T>
MULTIWALK_HOST_DEVICE T ShortRange::gaussian(T R2) const {
  return T(peak) * exp_of(T(-rate) * R2);
}

/// R^2. `softened` false: eps = 0.
template <bool softened, class T>
MULTIWALK_HOST_DEVICE T softened_square(Vec3<T> d, T softening2) {
  if constexpr (softened) return d.x * d.x + (d.y * d.y + (d.z * d.z + softening2));
  return d.x * d.x + (d.y * d.y + d.z * d.z);
}

/// Adds the short-range force of a point mass at d = x_source - x_target. `law`: a ShortRange, or its copy for lanes.
template <bool softened, class T, class Law>
MULTIWALK_HOST_DEVICE void accumulate_monopole(Vec3<T> d, T mass, T softening2, const Law& law, ForceSum<T>& sum) {
  const T R2 = softened_square<softened>(d, softening2);
  const T ri = softened ? inverse_sqrt(R2) : inverse_sqrt_or_zero(R2);
  const T base = law.gaussian(R2) + T(law.level);
  const T reduction = law.reduction(R2);
  const T weight = zero_beyond(mass * (ri * (ri * ri) - reduction), R2, T(law.cutoff2));
  sum.x += weight * d.x;
  sum.y += weight * d.y;
  sum.z += weight * d.z;
  sum.potential += zero_beyond(mass * (ri - (R2 * (reduction - T(1.5F) * T(law.slope)) + base)), R2, T(law.cutoff2));
}

/// Adds the short-range force of a cell whose centre of mass is at d: a = d [M p1 - tr(S) p2 / 2 + (d.S.d) p3 / 2] - p2
/// S d, phi = -M p0 - [(d.S.d) p2 - tr(S) p1] / 2.
template <bool softened, class T>
MULTIWALK_HOST_DEVICE void accumulate_quadrupole(Vec3<T> d, T mass, const SecondMoment<T>& s, T softening2,
                                                 const ShortRange& law, ForceSum<T>& sum) {
  const T R2 = softened_square<softened>(d, softening2);
  const T ri = softened ? inverse_sqrt(R2) : inverse_sqrt_or_zero(R2);
  const T gauss = law.gaussian(R2);
  const T g3 = short_range_polynomial(law.third, T(law.stretch) * R2 - T(1.0F));
  const T g2 = T(0.2F) * (R2 * g3 + T(4.0F * law.rate * law.rate) * gauss);
  const T g1 = T(1.0F / 3.0F) * (R2 * g2 + T(2.0F * law.rate) * gauss);
  const T ri2 = ri * ri, ri3 = ri * ri2;
  const T p0 = zero_beyond(ri - (R2 * (g1 - T(0.5F * law.slope)) + (gauss + T(law.level))), R2, T(law.cutoff2));
  const T p1 = zero_beyond(ri3 - (g1 + T(law.slope)), R2, T(law.cutoff2));
  const T p2 = zero_beyond(T(3.0F) * (ri3 * ri2) - g2, R2, T(law.cutoff2));
  const T p3 = zero_beyond(T(15.0F) * (ri3 * (ri2 * ri2)) - g3, R2, T(law.cutoff2));
  const Vec3<T> sd{s.xx * d.x + (s.xy * d.y + s.xz * d.z), s.xy * d.x + (s.yy * d.y + s.yz * d.z),
                   s.xz * d.x + (s.yz * d.y + s.zz * d.z)};
  const T dsd = d.x * sd.x + (d.y * sd.y + d.z * sd.z);
  const T trace = s.xx + (s.yy + s.zz);
  const T radial = mass * p1 + T(0.5F) * (dsd * p3 - trace * p2);
  sum.x += radial * d.x - p2 * sd.x;
  sum.y += radial * d.y - p2 * sd.y;
  sum.z += radial * d.z - p2 * sd.z;
  sum.potential += mass * p0 + T(0.5F) * (dsd * p2 - trace * p1);
}

}  // namespace multiwalk
