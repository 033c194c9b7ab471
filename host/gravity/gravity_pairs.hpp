// SPDX-License-Identifier: GPL-3.0-or-later
// Gravity as pair interactions, in one source for scalars, SIMD vectors and CUDA threads. Sums are without G;
// potentials are positive (sum m/R).
#pragma once

#include "host/base/host_device.hpp"
#include "host/base/vec3.hpp"
#include "host/gravity/pair_force.hpp"

namespace multiwalk {

/// How a record holds a position or a velocity: one number for each axis, or the sum of two.
template <class T>
struct SingleVector {
  Vec3<T> hi;
};
template <class T>
struct SplitVector {
  Vec3<T> hi, lo;
};

/// The separation of two positions, or the difference of two velocities.
template <class T>
MULTIWALK_HOST_DEVICE Vec3<T> separation(const SingleVector<T>& from, const SingleVector<T>& to) {
  return {to.hi.x - from.hi.x, to.hi.y - from.hi.y, to.hi.z - from.hi.z};
}
template <class T>
MULTIWALK_HOST_DEVICE Vec3<T> separation(const SplitVector<T>& from, const SplitVector<T>& to) {
  return {(to.hi.x - from.hi.x) + (to.lo.x - from.lo.x), (to.hi.y - from.hi.y) + (to.lo.y - from.lo.y),
          (to.hi.z - from.hi.z) + (to.lo.z - from.lo.z)};
}

/// Acceleration and potential. `softened` false: eps = 0 and a coincident pair gives 0. Vector: SingleVector or
/// SplitVector.
template <bool softened, template <class> class Vector>
struct GravityPair {
  template <class T>
  struct Target {
    Vector<T> position;
  };
  template <class T>
  struct Source {
    Vector<T> position;
    T mass;
  };
  template <class T>
  using Sum = ForceSum<T>;

  double softening2;

  template <class T>
  MULTIWALK_HOST_DEVICE static Target<T> target(const Source<T>& body) {
    return {body.position};
  }

  template <class T>
  MULTIWALK_HOST_DEVICE void operator()(const Target<T>& target, const Source<T>& source, Sum<T>& sum) const {
    accumulate_monopole<softened>(separation(target.position, source.position), source.mass, T(softening2), sum);
  }

  /// Both directions at once: adds the effect of b on a and that of a on b.
  template <class T>
  MULTIWALK_HOST_DEVICE void both(const Source<T>& a, const Source<T>& b, Sum<T>& of_a, Sum<T>& of_b) const {
    const Vec3<T> d = separation(a.position, b.position);
    const T ri = inverse_distance<softened>(d, T(softening2));
    const T ri3 = ri * (ri * ri);
    add_pull(d, b.mass, ri, ri3, of_a);
    add_pull({-d.x, -d.y, -d.z}, a.mass, ri, ri3, of_b);
  }

  template <class T>
  MULTIWALK_HOST_DEVICE static void add_pull(Vec3<T> d, T mass, T ri, T ri3, Sum<T>& sum) {
    const T weight = mass * ri3;
    sum.x += weight * d.x;
    sum.y += weight * d.y;
    sum.z += weight * d.z;
    sum.potential += mass * ri;
  }
};

/// Acceleration, potential and the jerk m [v/R^3 - 3 (d.v) d/R^5] (Makino & Aarseth 1992).
template <bool softened, template <class> class Vector>
struct GravityJerkPair {
  template <class T>
  struct Target {
    Vector<T> position, velocity;
  };
  template <class T>
  struct Source {
    Vector<T> position, velocity;
    T mass;
  };
  template <class T>
  struct Sum {
    ForceSum<T> force;
    Vec3<T> jerk;
  };

  double softening2;

  template <class T>
  MULTIWALK_HOST_DEVICE static Target<T> target(const Source<T>& body) {
    return {body.position, body.velocity};
  }

  template <class T>
  MULTIWALK_HOST_DEVICE void operator()(const Target<T>& target, const Source<T>& source, Sum<T>& sum) const {
    const Vec3<T> d = separation(target.position, source.position);
    const Vec3<T> v = separation(target.velocity, source.velocity);
    const T ri = inverse_distance<softened>(d, T(softening2));
    const T ri2 = ri * ri;
    const T mri = source.mass * ri;
    const T weight = mri * ri2;
    const T along = T(-3.0F) * (ri2 * (d.x * v.x + (d.y * v.y + d.z * v.z)));
    sum.force.x += weight * d.x;
    sum.force.y += weight * d.y;
    sum.force.z += weight * d.z;
    sum.force.potential += mri;
    sum.jerk.x += weight * (v.x + along * d.x);
    sum.jerk.y += weight * (v.y + along * d.y);
    sum.jerk.z += weight * (v.z + along * d.z);
  }

  /// Both directions at once: adds the effect of b on a and that of a on b.
  template <class T>
  MULTIWALK_HOST_DEVICE void both(const Source<T>& a, const Source<T>& b, Sum<T>& of_a, Sum<T>& of_b) const {
    const Vec3<T> d = separation(a.position, b.position);
    const Vec3<T> v = separation(a.velocity, b.velocity);
    const T ri = inverse_distance<softened>(d, T(softening2));
    const T ri2 = ri * ri;
    const T along = T(-3.0F) * (ri2 * (d.x * v.x + (d.y * v.y + d.z * v.z)));
    const Vec3<T> change{v.x + along * d.x, v.y + along * d.y, v.z + along * d.z};
    const T ri3 = ri * ri2;
    add_pull(d, change, b.mass, ri, ri3, of_a);
    add_pull({-d.x, -d.y, -d.z}, {-change.x, -change.y, -change.z}, a.mass, ri, ri3, of_b);
  }

  template <class T>
  MULTIWALK_HOST_DEVICE static void add_pull(Vec3<T> d, Vec3<T> change, T mass, T ri, T ri3, Sum<T>& sum) {
    const T weight = mass * ri3;
    sum.force.x += weight * d.x;
    sum.force.y += weight * d.y;
    sum.force.z += weight * d.z;
    sum.force.potential += mass * ri;
    sum.jerk.x += weight * change.x;
    sum.jerk.y += weight * change.y;
    sum.jerk.z += weight * change.z;
  }
};

}  // namespace multiwalk
