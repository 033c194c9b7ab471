// Records of gravity's pair interactions from arrays of doubles, in device memory.
#pragma once

#include <cstddef>

#include "device/direct/gravity_sums.cuh"
#include "device/direct/pair_sum.cuh"
#include "host/direct/gravity_pairs.hpp"

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

/// Source records about `centre`, massless ones at the end to make them `padded`.
template <class Real, class Record>
__global__ void __launch_bounds__(pair_sum_threads)
    fill_sources_kernel(const BodyArrays bodies, const Vec3d centre, std::size_t padded, Aligned<Record>* record) {
  const std::size_t i = std::size_t{blockIdx.x} * pair_sum_threads + threadIdx.x;
  if (i >= padded) return;
  Record r{};
  if (i < bodies.count) {
    set_vector(r.position, bodies.position[i] - centre);
    if constexpr (HasVelocity<Record>) set_vector(r.velocity, bodies.velocity[i]);
    r.mass = static_cast<Real>(bodies.mass[i]);
  }
  record[i].record = r;
}

template <class Record>
__global__ void __launch_bounds__(pair_sum_threads)
    fill_targets_kernel(const BodyArrays bodies, const Vec3d centre, Aligned<Record>* record) {
  const std::size_t i = std::size_t{blockIdx.x} * pair_sum_threads + threadIdx.x;
  if (i >= bodies.count) return;
  Record r{};
  set_vector(r.position, bodies.position[i] - centre);
  if constexpr (HasVelocity<Record>) set_vector(r.velocity, bodies.velocity[i]);
  record[i].record = r;
}

/// What becomes of a target's sum: own pair taken out, signs as DirectTask has them; null: not wanted.
template <class Real>
struct GravityResults {
  const double* own_mass = nullptr;  ///< null: sums hold no own pairs, or these are to stay
  double softening2 = 0;
  Vec3d* acceleration = nullptr;
  Vec3d* jerk = nullptr;
  double* potential = nullptr;

  __device__ void operator()(std::size_t i, const ForceSum<double>& sum) const {
    if (acceleration != nullptr) acceleration[i] = {sum.x, sum.y, sum.z};
    if (potential == nullptr) return;
    potential[i] = own_mass == nullptr ? -sum.potential : own_pair(i) - sum.potential;
  }
  template <class JerkSum>
  __device__ void operator()(std::size_t i, const JerkSum& sum) const {
    (*this)(i, sum.force);
    if (jerk != nullptr) jerk[i] = sum.jerk;
  }

 private:
  /// To the bit what the kernel has added.
  __device__ double own_pair(std::size_t i) const {
    if (!is_softened(softening2)) return 0;
    return static_cast<double>(static_cast<Real>(own_mass[i]) * inverse_sqrt(static_cast<Real>(softening2)));
  }
};

}  // namespace multiwalk
