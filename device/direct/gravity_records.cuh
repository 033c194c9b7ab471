// SPDX-License-Identifier: GPL-3.0-or-later
// Records of gravity's pair interactions from arrays of doubles, in device memory.
#pragma once

#include <cstddef>

#include "device/direct/gravity_sums.cuh"
#include "device/direct/pair_sum.cuh"
#include "host/gravity/gravity_pairs.hpp"
#include "host/simd/direct_frame.hpp"

namespace multiwalk {

/// x as a record holds it.
template <class T>
__device__ void set_vector(SingleVector<T>& record, const Vec3d& x) {
  record.hi = static_cast<Vec3<T>>(x);
}
template <class T>
__device__ void set_vector(SplitVector<T>& record, const Vec3d& x) {
  record.hi = static_cast<Vec3<T>>(x);
  record.lo = static_cast<Vec3<T>>(x - static_cast<Vec3d>(record.hi));
}

template <class Record>
concept HasVelocity = requires(Record record) {
  record.velocity;
};

template <class Record>
__device__ void set_place(Record& record, const Vec3d& position, const DirectFrame& frame) {
  set_vector(record.position, (position - frame.centre) * (1 / frame.length));
}
template <class Record>
__device__ void set_motion(Record& record, const Vec3d& position, const Vec3d& velocity, const DirectFrame& frame) {
  set_place(record, position, frame);
  set_vector(record.velocity, (velocity - frame.velocity) * (1 / frame.speed));
}

/// With the velocity if the record holds one.
template <class Record>
__device__ void set_record(Record& record, const BodyArrays& bodies, std::size_t i, const DirectFrame& frame) {
  if constexpr (HasVelocity<Record>) {
    set_motion(record, bodies.position[i], bodies.velocity[i], frame);
  } else {
    set_place(record, bodies.position[i], frame);
  }
}

/// Makes the i-th target's record (a reader of device/direct/pair_sum.cuh).
template <class Target>
struct MakeTarget {
  BodyArrays bodies;
  DirectFrame frame;
  __device__ Aligned<Target> operator()(std::size_t i) const {
    Aligned<Target> made{};
    set_record(made.record, bodies, i, frame);
    return made;
  }
};

/// Makes the i-th source's record; a massless one beyond the last.
template <class Real, class Source>
struct MakeSource {
  BodyArrays bodies;
  DirectFrame frame;
  __device__ Aligned<Source> operator()(std::size_t i) const {
    Aligned<Source> made{};
    if (i >= bodies.count) return made;
    set_record(made.record, bodies, i, frame);
    made.record.mass = static_cast<Real>(bodies.mass[i] / frame.mass);
    return made;
  }
};

/// Records of all targets, and of the sources with massless ones at the end to make them `padded`.
template <class Real, class Source, class Target>
__global__ void __launch_bounds__(pair_sum_threads)
    fill_records_kernel(const MakeSource<Real, Source> make_source, std::size_t padded, Aligned<Source>* source,
                        const MakeTarget<Target> make_target, Aligned<Target>* target) {
  const std::size_t i = std::size_t{blockIdx.x} * pair_sum_threads + threadIdx.x;
  if (i < make_target.bodies.count) target[i] = make_target(i);
  if (i < padded) source[i] = make_source(i);
}

struct GravityOnBody {
  Vec3d acceleration, jerk;
  double potential;
};

/// Stores a target's sum: without its own pair, in the units and with the signs of DirectTask; null: not wanted.
template <class Real>
struct GravityResults {
  const double* own_mass = nullptr;  ///< null: sums hold no own pairs, or these are to stay
  double softening2 = 0;             ///< of the frame; 0: unsoftened
  double mass = 1;                   ///< units of the frame
  double acceleration_unit = 1, potential_unit = 1, jerk_unit = 1;
  Vec3d* acceleration = nullptr;
  Vec3d* jerk = nullptr;
  double* potential = nullptr;

  __device__ void operator()(std::size_t i, const ForceSum<double>& sum) const {
    if (acceleration != nullptr) acceleration[i] = acceleration_unit * Vec3d{sum.x, sum.y, sum.z};
    if (potential != nullptr)
      potential[i] = potential_unit * (own_pair(own_mass != nullptr ? own_mass[i] : 0) - sum.potential);
  }
  template <class JerkSum>
  __device__ void operator()(std::size_t i, const JerkSum& sum) const {
    (*this)(i, sum.force);
    if (jerk != nullptr) jerk[i] = jerk_unit * sum.jerk;
  }
  /// The values of a body that is among the sources, instead of their storing.
  template <class JerkSum>
  [[nodiscard]] __device__ GravityOnBody of(double body_mass, const JerkSum& sum) const {
    return {acceleration_unit * Vec3d{sum.force.x, sum.force.y, sum.force.z}, jerk_unit * sum.jerk,
            potential_unit * (own_pair(body_mass) - sum.force.potential)};
  }

 private:
  /// To the bit what the kernel has added.
  __device__ double own_pair(double body_mass) const {
    if (softening2 == 0) return 0;
    return static_cast<double>(static_cast<Real>(body_mass / mass) * inverse_sqrt(static_cast<Real>(softening2)));
  }
};

}  // namespace multiwalk
