// SPDX-License-Identifier: GPL-3.0-or-later
// The softened pair, in one source for scalars, SIMD vectors and CUDA threads. Plummer softening R^2 = r^2 + eps^2; a
// cell's second moment S_ab = sum m x_a x_b keeps its trace, because the softened kernel is not harmonic (a = d [M f +
// tr S f1/2 + (d.S.d) f2/2] + f1 S d).
#pragma once

#include "host/base/host_device.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// Sums over sources, without G: acceleration sum m d/R^3 and potential sum m/R (positive).
template <class T>
struct ForceSum {
  T x{}, y{}, z{}, potential{};
};

/// Second moment about the centre of mass, trace kept.
template <class T>
struct SecondMoment {
  T xx, xy, xz, yy, yz, zz;
};

/// 1/R. `softened` false: eps = 0 and a coincident pair gives 0.
template <bool softened, class T>
MULTIWALK_HOST_DEVICE T inverse_distance(Vec3<T> d, T softening2) {
  if constexpr (softened) {
    return inverse_sqrt(d.x * d.x + (d.y * d.y + (d.z * d.z + softening2)));
  } else {
    return inverse_sqrt_or_zero(d.x * d.x + (d.y * d.y + d.z * d.z));
  }
}

/// Adds the force of a point mass at d = x_source - x_target.
template <bool softened, class T>
MULTIWALK_HOST_DEVICE void accumulate_monopole(Vec3<T> d, T mass, T softening2, ForceSum<T>& sum) {
  const T ri = inverse_distance<softened>(d, softening2);
  const T mri = mass * ri;
  const T weight = mri * (ri * ri);
  sum.x += weight * d.x;
  sum.y += weight * d.y;
  sum.z += weight * d.z;
  sum.potential += mri;
}

/// Adds the force of a cell whose centre of mass is at d: with f = R^-3, f1 = -3 R^-5, f2 = 15 R^-7, a = d [M f + tr(S)
/// f1 / 2 + (d.S.d) f2 / 2] + f1 S d, and phi = -M/R - [3 d.S.d/R^5 - tr(S)/R^3] / 2.
template <bool softened, class T>
MULTIWALK_HOST_DEVICE void accumulate_quadrupole(Vec3<T> d, T mass, const SecondMoment<T>& s, T softening2,
                                                 ForceSum<T>& sum) {
  const T ri = inverse_distance<softened>(d, softening2);
  const T ri2 = ri * ri;
  const Vec3<T> sd{s.xx * d.x + (s.xy * d.y + s.xz * d.z), s.xy * d.x + (s.yy * d.y + s.yz * d.z),
                   s.xz * d.x + (s.yz * d.y + s.zz * d.z)};
  const T dsd = ri2 * (d.x * sd.x + (d.y * sd.y + d.z * sd.z));
  const T trace = s.xx + (s.yy + s.zz);
  const T radial = mass + ri2 * (T(7.5F) * dsd - T(1.5F) * trace);
  const T tensor = T(-3.0F) * ri2;
  const T ri3 = ri * ri2;
  sum.x += ri3 * (radial * d.x + tensor * sd.x);
  sum.y += ri3 * (radial * d.y + tensor * sd.y);
  sum.z += ri3 * (radial * d.z + tensor * sd.z);
  sum.potential += ri * (mass + ri2 * (T(1.5F) * dsd - T(0.5F) * trace));
}

}  // namespace multiwalk
