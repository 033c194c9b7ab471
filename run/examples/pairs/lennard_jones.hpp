// SPDX-License-Identifier: GPL-3.0-or-later
// Lennard-Jones: forces and energies of neutral atoms, V(r) = 4 epsilon [(sigma/r)^12 - (sigma/r)^6], as a pair
// interaction.
#pragma once

#include "host/base/host_device.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// Forces on targets, F = sum 24 epsilon [2 (sigma/r)^12 - (sigma/r)^6] (target - source)/r^2, and energies sum V(r).
/// Pairs farther apart than `cutoff`, and an atom and itself (the same place), add nothing.
struct LennardJonesPair {
  template <class T>
  struct Target {
    Vec3<T> position;
  };
  template <class T>
  using Source = Target<T>;
  template <class T>
  struct Sum {
    Vec3<T> force;
    T energy{};
  };

  double epsilon = 1, sigma = 1;
  double cutoff = 2.5;  ///< of the length that sigma has

  template <class T>
  MULTIWALK_HOST_DEVICE void operator()(const Target<T>& target, const Source<T>& source, Sum<T>& sum) const {
    const Vec3<T> d{target.position.x - source.position.x, target.position.y - source.position.y,
                    target.position.z - source.position.z};
    const T r2 = d.x * d.x + (d.y * d.y + d.z * d.z);
    const T ri = zero_beyond(inverse_sqrt_or_zero(r2), r2, T(cutoff * cutoff));
    const T ri2 = ri * ri;
    const T s2 = T(sigma * sigma) * ri2;
    const T s6 = s2 * (s2 * s2);
    const T weight = T(24 * epsilon) * (s6 * (T(2.0F) * s6 - T(1.0F))) * ri2;
    sum.force.x += weight * d.x;
    sum.force.y += weight * d.y;
    sum.force.z += weight * d.z;
    sum.energy += T(4 * epsilon) * (s6 * (s6 - T(1.0F)));
  }
};

}  // namespace multiwalk
