// SPDX-License-Identifier: GPL-3.0-or-later
// The density sum of smoothed-particle hydrodynamics with the cubic spline (Monaghan & Lattanzio 1985), as a pair
// interaction.
#pragma once

#include <numbers>

#include "host/base/host_device.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// rho_i = sum m_j W(r, h_i), W = [(2 - q)^3/4 - (1 - q)^3] / (pi h^3), q = r/h, each cube only where it is positive;
/// the target's own mass counts where it is a source too.
struct SphDensityPair {
  template <class T>
  struct Target {
    Vec3<T> position;
    T inverse_smoothing{};  ///< 1/h: W vanishes beyond 2h
  };
  template <class T>
  struct Source {
    Vec3<T> position;
    T mass;
  };
  template <class T>
  struct Sum {
    T density{};
  };

  template <class T>
  MULTIWALK_HOST_DEVICE void operator()(const Target<T>& target, const Source<T>& source, Sum<T>& sum) const {
    const Vec3<T> d{source.position.x - target.position.x, source.position.y - target.position.y,
                    source.position.z - target.position.z};
    const T r2 = d.x * d.x + (d.y * d.y + d.z * d.z);
    const T q = r2 * inverse_sqrt_or_zero(r2) * target.inverse_smoothing;
    const T outer = at_least_zero(T(2.0F) - q), inner = at_least_zero(T(1.0F) - q);
    const T spline = T(0.25F) * (outer * (outer * outer)) - inner * (inner * inner);
    const T hi3 = target.inverse_smoothing * (target.inverse_smoothing * target.inverse_smoothing);
    sum.density += T(std::numbers::inv_pi) * (source.mass * (hi3 * spline));
  }
};

}  // namespace multiwalk
