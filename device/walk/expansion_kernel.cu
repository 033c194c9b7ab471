// SPDX-License-Identifier: GPL-3.0-or-later
// Local expansions about the centres of many walks (local_expansion.hpp), one thread block per walk: each thread adds
// up the expansions of some cells, the block adds the threads' sums, and each thread evaluates the result at some
// targets. Lengths are in units of a power of two, which keeps derivatives of distant cells in the range of single
// precision.
#include "device/base/cuda_check.cuh"
#include "device/walk/walk_kernel.cuh"
#include "host/gravity/local_expansion.hpp"

namespace multiwalk {

namespace {

constexpr unsigned expansion_threads = 64;

template <int order>
struct ExpansionMemory {
  // The odd length of a row keeps reads of a column free of bank conflicts.
  float part[expansion_terms(order)][expansion_threads + 1];  ///< the threads' sums
  float term[expansion_terms(order)];
};

__device__ Vec3d target_offset(const WalkLaunch& launch, const Walk& walk, unsigned t) {
  return launch.target_position[walk.target_first + t] - walk.centre;
}

/// 1 / (a power of two, 16 to 32 times the greatest distance of a target from the centre); 1 if all are there.
__device__ float inverse_unit(const WalkLaunch& launch, const Walk& walk) {
  __shared__ float farthest[expansion_threads / 32];
  float mine = 0;
  for (unsigned t = threadIdx.x; t < walk.target_count; t += expansion_threads) {
    mine = fmaxf(mine, static_cast<float>(norm(target_offset(launch, walk, t))));
  }
  for (unsigned step = 16; step > 0; step /= 2) mine = fmaxf(mine, __shfl_xor_sync(~0U, mine, step));
  if (threadIdx.x % 32 == 0) farthest[threadIdx.x / 32] = mine;
  __syncthreads();
  mine = farthest[0];
  for (unsigned w = 1; w < expansion_threads / 32; ++w) mine = fmaxf(mine, farthest[w]);
  if (!(mine > 0)) return 1;
  int exponent = 0;
  frexpf(mine, &exponent);
  return ldexpf(1, -exponent - 4);
}

/// A cell, a cache line.
__device__ Multipole load_cell(const Multipole* cell) {
  const auto* from = reinterpret_cast<const uint4*>(cell);
  const uint4 part[4]{from[0], from[1], from[2], from[3]};
  Multipole loaded;
  static_assert(sizeof part == sizeof loaded);
  memcpy(&loaded, part, sizeof loaded);
  return loaded;
}

/// From the walk's centre; in a periodic box to the nearest image.
__device__ Vec3f cell_offset(const WalkLaunch& launch, Vec3d position, Vec3d centre) {
  Vec3d d = position - centre;
  if (launch.period > 0) {
    d.x -= launch.period * rint(d.x * launch.inverse_period);
    d.y -= launch.period * rint(d.y * launch.inverse_period);
    d.z -= launch.period * rint(d.z * launch.inverse_period);
  }
  return static_cast<Vec3f>(d);
}

/// Derivatives with lengths in units of 1 / scale.
template <bool split>
__device__ auto radial_derivatives(const WalkLaunch& launch, float scale) {
  const float softening2 = scale * launch.softening2 * scale;
  if constexpr (split) {
    return ShortRangeDerivatives<float>(launch.split, 1 / scale, softening2);
  } else {
    return NewtonDerivatives<float>{softening2};
  }
}

/// Writes the sum of this thread's cells.
template <int order, bool split>
__device__ void sum_cells(const WalkLaunch& launch, const Walk& walk, float scale, ExpansionMemory<order>& memory) {
  const std::uint32_t* cell = launch.cell + (walk.cell_first + walk.cell_count - launch.cell_base);
  const float scale2 = scale * scale;
  const auto radial = radial_derivatives<split>(launch, scale);
  float term[expansion_terms(order)]{};
  std::uint32_t next = threadIdx.x < walk.expanded_count ? cell[threadIdx.x] : 0;
  for (unsigned i = threadIdx.x; i < walk.expanded_count; i += expansion_threads) {
    const Multipole m = load_cell(launch.multipole + next);
    if (i + expansion_threads < walk.expanded_count) next = cell[i + expansion_threads];
    const Vec3f d = scale * cell_offset(launch, m.centre_of_mass, walk.centre);
    const SecondMoment<float> second{scale2 * m.xx, scale2 * m.xy, scale2 * m.xz,
                                     scale2 * m.yy, scale2 * m.yz, scale2 * m.zz};
    add_expansion<order>(d, m.mass, second, radial, term);
  }
#pragma unroll
  for (int n = 0; n < expansion_terms(order); ++n) memory.part[n][threadIdx.x] = term[n];
}

/// Adds the threads' sums, always in the same order.
template <int order>
__device__ void add_parts(ExpansionMemory<order>& memory) {
  __syncthreads();
  for (unsigned n = threadIdx.x; n < expansion_terms(order); n += expansion_threads) {
    float sum = 0;
#pragma unroll 8
    for (unsigned thread = 0; thread < expansion_threads; ++thread) sum += memory.part[n][thread];
    memory.term[n] = sum;
  }
  __syncthreads();
}

template <int order, bool split>
__global__ void __launch_bounds__(expansion_threads) expansion_kernel(const WalkLaunch launch) {
  __shared__ ExpansionMemory<order> memory;
  const Walk walk = launch.walk[blockIdx.x];
  if (walk.target_count == 0 || walk.expanded_count == 0) return;
  const float scale = inverse_unit(launch, walk);
  sum_cells<order, split>(launch, walk, scale, memory);
  add_parts(memory);
  const double depth = launch.gravitational_constant * static_cast<double>(scale);
  const auto pull = static_cast<float>(depth * static_cast<double>(scale)), potential = static_cast<float>(-depth);
  float4* result = launch.result + (walk.result_first - launch.result_base);
  for (unsigned t = threadIdx.x; t < walk.target_count; t += expansion_threads) {
    const Vec3f u = scale * static_cast<Vec3f>(target_offset(launch, walk, t));
    const ForceSum<float> force = expanded_force<order>(memory.term, u);
    const float4 before = result[t];
    result[t] = {before.x + pull * force.x, before.y + pull * force.y, before.z + pull * force.z,
                 before.w + potential * force.potential};
  }
}

template <bool split>
auto kernel_of_order(int order) {
  static_assert(least_expansion_order == 1 && most_expansion_order == 6);
  constexpr void (*kernels[])(WalkLaunch) = {expansion_kernel<1, split>, expansion_kernel<2, split>,
                                             expansion_kernel<3, split>, expansion_kernel<4, split>,
                                             expansion_kernel<5, split>, expansion_kernel<6, split>};
  return kernels[order - least_expansion_order];
}

}  // namespace

void launch_expansions(const WalkLaunch& launch, cudaStream_t stream) {
  if (launch.walk_count == 0 || launch.expansion == 0) return;
  const auto kernel =
      launch.is_split() ? kernel_of_order<true>(launch.expansion) : kernel_of_order<false>(launch.expansion);
  kernel<<<launch.walk_count, expansion_threads, 0, stream>>>(launch);
  check_cuda(cudaGetLastError(), "expansion_kernel");
}

}  // namespace multiwalk
