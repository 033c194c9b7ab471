// SPDX-License-Identifier: GPL-3.0-or-later
// The force laws of the walk kernel, about the centre of one walk.
#pragma once

#include "device/base/block_shape.cuh"
#include "device/walk/walk_kernel.cuh"
#include "host/gravity/pair_force.hpp"

namespace multiwalk {

/// How a kernel uses a multiprocessor. Small groups need many blocks, since each often waits for its sources.
struct SmallGroups {
  static constexpr unsigned threads = 128;     ///< per block
  static constexpr unsigned most_targets = 4;  ///< per thread
  static constexpr unsigned blocks = 5;        ///< per multiprocessor
  static constexpr unsigned partial = 64;      ///< sources at most in a sum of single precision
};
struct LargeGroups {
  static constexpr unsigned threads = 256, most_targets = 6, blocks = 2, partial = 128;
};

/// Newton's law in a vacuum, softened or not.
template <bool soft, class Groups>
struct WholeForce : Groups {
  static constexpr bool softened = soft;
  static constexpr unsigned worker = 1;  ///< threads that see the same sources together
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

/// A box around targets, relative to the walk's centre.
struct TargetBox {
  Vec3f low, high;

  __device__ explicit TargetBox(Vec3f x) : low(x), high(x) {}
  __device__ TargetBox(Vec3f from, Vec3f to) : low(from), high(to) {}
  __device__ void enclose(const TargetBox& other) {
    low = {fminf(low.x, other.low.x), fminf(low.y, other.low.y), fminf(low.z, other.low.z)};
    high = {fmaxf(high.x, other.high.x), fmaxf(high.y, other.high.y), fmaxf(high.z, other.high.z)};
  }
  /// The box of the lane whose number differs in the bits of `step`.
  __device__ TargetBox of_lane(unsigned step) const { return {exchanged(low, step), exchanged(high, step)}; }
  __device__ float distance2(float x, float y, float z) const {
    const Vec3f out{fmaxf(fmaxf(low.x - x, x - high.x), 0), fmaxf(fmaxf(low.y - y, y - high.y), 0),
                    fmaxf(fmaxf(low.z - z, z - high.z), 0)};
    return out.x * out.x + out.y * out.y + out.z * out.z;
  }

 private:
  __device__ static Vec3f exchanged(Vec3f x, unsigned step) {
    return {__shfl_xor_sync(~0U, x.x, step), __shfl_xor_sync(~0U, x.y, step), __shfl_xor_sync(~0U, x.z, step)};
  }
};

/// The short-range part of a split force; in a periodic box, of each source the image nearest to the centre.
template <bool soft>
struct NearForce {
  static constexpr bool softened = soft;
  static constexpr unsigned threads = 256, most_targets = 4, blocks = 2, partial = 128;
  static constexpr unsigned worker = 32;
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
  /// False only where every pair with a target in the box lies beyond the cut-off.
  __device__ bool reaches(float4 source, const TargetBox& box) const {
    constexpr float rounding = 1.00001F;
    return box.distance2(source.x, source.y, source.z) <= rounding * split.cutoff2;
  }
  __device__ void add(Vec3f d, float mass, ForceSum<float>& sum) const {
    accumulate_monopole<soft>(d, mass, softening2, split, sum);
  }
  __device__ void add(Vec3f d, float mass, const SecondMoment<float>& s, ForceSum<float>& sum) const {
    accumulate_quadrupole<soft>(d, mass, s, softening2, split, sum);
  }
};

}  // namespace multiwalk
