// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled without fused multiply-adds, as the host's code is: the same bits.
#include <cub/block/block_reduce.cuh>

#include "device/base/blocks_for.cuh"
#include "device/particles/step_kernels.cuh"
#include "host/particles/kick.hpp"

namespace multiwalk {

namespace {

constexpr unsigned threads = 256;
constexpr unsigned rounds = 16;  // particles that a thread adds up

__global__ void kick_and_drift_kernel(const KeptArrays kept, double kick_factor, double background,
                                      double drift_factor) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= kept.n) return;
  const Vec3d x = kept.position[i];
  const Vec3f v = kicked(kept.velocity[i], kick_factor, peculiar_pull(kept.acceleration[i], x, background));
  kept.velocity[i] = v;
  kept.position[i] = drifted(x, drift_factor, v);
}

__global__ void number_kernel(std::uint32_t* index, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i < n) index[i] = static_cast<std::uint32_t>(i);
}

__global__ void invert_kernel(const std::uint32_t* index, std::size_t n, std::uint32_t* inverse) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i < n) inverse[index[i]] = static_cast<std::uint32_t>(i);
}

struct AddSums {
  __device__ KickSums operator()(const KickSums& a, const KickSums& b) const {
    return {a.velocity_square + b.velocity_square, a.pair_potential + b.pair_potential,
            a.position_square + b.position_square, fmax(a.largest_pull2, b.largest_pull2)};
  }
};

/// The sum over the block's threads, in thread 0.
__device__ KickSums block_sum(const KickSums& mine) {
  using Reduce = cub::BlockReduce<KickSums, threads>;
  __shared__ typename Reduce::TempStorage storage;
  return Reduce(storage).Reduce(mine, AddSums{});
}

__global__ void kick_and_sum_kernel(const KeptArrays kept, const float* potential, double factor, double background,
                                    KickSums* part) {
  KickSums mine;
  for (unsigned r = 0; r < rounds; ++r) {
    const std::size_t i = (std::size_t{blockIdx.x} * rounds + r) * threads + threadIdx.x;
    if (i >= kept.n) break;
    const Vec3d x = kept.position[i], pull = peculiar_pull(kept.acceleration[i], x, background);
    const Vec3f v = kicked(kept.velocity[i], factor, pull);
    kept.velocity[i] = v;
    const double m = static_cast<double>(kept.mass[i]), pull2 = norm2(pull);
    mine = AddSums{}(mine, {m * norm2(widened(v)), m * static_cast<double>(potential[i]), m * norm2(x),
                            isfinite(pull2) ? pull2 : static_cast<double>(INFINITY)});
  }
  const KickSums all = block_sum(mine);
  if (threadIdx.x == 0) part[blockIdx.x] = all;
}

__global__ void add_parts_kernel(const KickSums* part, std::size_t parts, KickSums* total) {
  KickSums mine;
  for (std::size_t p = threadIdx.x; p < parts; p += threads) mine = AddSums{}(mine, part[p]);
  const KickSums all = block_sum(mine);
  if (threadIdx.x == 0) *total = all;
}

}  // namespace

void kick_and_drift(const KeptArrays& kept, double kick_factor, double background, double drift_factor,
                    const Stream& stream) {
  kick_and_drift_kernel<<<blocks_for(kept.n, threads), threads, 0, stream.get()>>>(kept, kick_factor, background,
                                                                                   drift_factor);
  check_cuda(cudaGetLastError(), "kick_and_drift_kernel");
}

void number_particles(std::uint32_t* index, std::size_t n, const Stream& stream) {
  number_kernel<<<blocks_for(n, threads), threads, 0, stream.get()>>>(index, n);
  check_cuda(cudaGetLastError(), "number_kernel");
}

void invert_order(const std::uint32_t* index, std::size_t n, std::uint32_t* inverse, const Stream& stream) {
  invert_kernel<<<blocks_for(n, threads), threads, 0, stream.get()>>>(index, n, inverse);
  check_cuda(cudaGetLastError(), "invert_kernel");
}

std::size_t parts_of_kick(std::size_t n) {
  constexpr std::size_t each = std::size_t{threads} * rounds;
  return (n + each - 1) / each;
}

void kick_and_sum(const KeptArrays& kept, const float* potential, double factor, double background, KickSums* part,
                  const Stream& stream) {
  const std::size_t parts = parts_of_kick(kept.n);
  kick_and_sum_kernel<<<static_cast<unsigned>(parts), threads, 0, stream.get()>>>(kept, potential, factor, background,
                                                                                  part + 1);
  check_cuda(cudaGetLastError(), "kick_and_sum_kernel");
  add_parts_kernel<<<1, threads, 0, stream.get()>>>(part + 1, parts, part);
  check_cuda(cudaGetLastError(), "add_parts_kernel");
}

}  // namespace multiwalk
