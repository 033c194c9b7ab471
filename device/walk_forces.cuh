// The force laws of the walk kernel, about the centre of one walk.
#pragma once

#include "device/block_shape.cuh"
#include "device/walk_kernel.cuh"
#include "host/force/pair_force.hpp"

namespace multiwalk {

/// Newton's law in a vacuum, softened or not.
template <bool soft>
struct WholeForce {
  static constexpr bool softened = soft;
  static constexpr unsigned most_targets = 6;  ///< per thread
  /// Slots of a monopole pair; wider pairs are cheapest in the same shape.
  __device__ static BlockCost slots() { return {14, 3, 0.5F}; }

  Vec3d centre;
  float softening2;

  __device__ WholeForce(const WalkLaunch& launch, const Walk& walk)
      : centre(walk.centre), softening2(launch.softening2) {}

  __device__ Vec3f offset(Vec3d position) const { return static_cast<Vec3f>(position - centre); }
  __device__ void add(Vec3f d, float mass, ForceSum<float>& sum) const {
    accumulate_monopole<soft>(d, mass, softening2, sum);
  }
  __device__ void add(Vec3f d, float mass, const SecondMoment<float>& s, ForceSum<float>& sum) const {
    accumulate_quadrupole<soft>(d, mass, s, softening2, sum);
  }
};

/// The short-range part of a split force; in a periodic box, of each source the image nearest to the centre.
template <bool soft>
struct NearForce {
  static constexpr bool softened = soft;
  static constexpr unsigned most_targets = 4;
  __device__ static BlockCost slots() { return {40, 3, 1}; }

  Vec3d centre;
  double period, inverse_period;
  float softening2;
  const ShortRange& split;

  __device__ NearForce(const WalkLaunch& launch, const Walk& walk)
      : centre(walk.centre),
        period(launch.period),
        inverse_period(launch.inverse_period),
        softening2(launch.softening2),
        split(launch.split) {}

  __device__ float nearest(double d) const { return static_cast<float>(d - period * rint(d * inverse_period)); }
  __device__ Vec3f offset(Vec3d position) const {
    const Vec3d d = position - centre;
    return {nearest(d.x), nearest(d.y), nearest(d.z)};
  }
  __device__ void add(Vec3f d, float mass, ForceSum<float>& sum) const {
    accumulate_monopole<soft>(d, mass, softening2, split, sum);
  }
  __device__ void add(Vec3f d, float mass, const SecondMoment<float>& s, ForceSum<float>& sum) const {
    accumulate_quadrupole<soft>(d, mass, s, softening2, split, sum);
  }
};

}  // namespace multiwalk
