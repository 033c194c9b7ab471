// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled without fused multiply-adds, as the host's code is: the same bits.
#include "device/base/blocks_for.cuh"
#include "device/particles/rung_kernels.cuh"
#include "host/base/separation.hpp"
#include "host/particles/kick.hpp"

namespace multiwalk {

namespace {

constexpr unsigned threads = 256;
constexpr unsigned rounds = 16;  // particles of a thread that counts

__device__ std::size_t own_particle() {
  return std::size_t{blockIdx.x} * threads + threadIdx.x;
}

/// The particle's new rung; -1 if its acceleration is not finite.
__device__ int new_rung(const RungArrays& kept, std::size_t i, const RungCriterion& criterion, double background,
                        int synchronised) {
  const double pull = norm(peculiar_pull(kept.acceleration[i], kept.position[i], background));
  if (!isfinite(pull)) return -1;
  return max(criterion(pull), synchronised);
}

__global__ void assign_rungs_kernel(const RungArrays kept, RungCriterion criterion, double background, int synchronised,
                                    RungCounts* counts) {
  __shared__ unsigned on[rung_count + 1];  // the last: not finite
  for (unsigned k = threadIdx.x; k <= rung_count; k += threads) on[k] = 0;
  __syncthreads();
  for (unsigned r = 0; r < rounds; ++r) {
    const std::size_t i = (std::size_t{blockIdx.x} * rounds + r) * threads + threadIdx.x;
    if (i >= kept.n) break;
    int rung = kept.rung[i];
    if (rung >= synchronised) {
      rung = new_rung(kept, i, criterion, background, synchronised);
      if (rung >= 0) kept.rung[i] = static_cast<std::uint8_t>(rung);
    }
    atomicAdd(on + (rung >= 0 ? rung : rung_count), 1U);
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k <= rung_count; k += threads) {
    if (on[k] > 0) atomicAdd(k < rung_count ? counts->on + k : &counts->not_finite, on[k]);
  }
}

__global__ void kick_rungs_kernel(const RungArrays kept, const RungFactors factor, double background, int least) {
  const std::size_t i = own_particle();
  if (i >= kept.n) return;
  const int rung = kept.rung[i];
  if (rung < least) return;
  const Vec3d pull =
      short_range_pull(peculiar_pull(kept.acceleration[i], kept.position[i], background), kept.long_range[i]);
  kept.velocity[i] = kicked(kept.velocity[i], factor.of[rung], pull);
}

__global__ void kick_long_range_kernel(const RungArrays kept, double factor) {
  const std::size_t i = own_particle();
  if (i < kept.n) kept.velocity[i] = kicked(kept.velocity[i], factor, widened(kept.long_range[i]));
}

__global__ void drift_kernel(const RungArrays kept, double factor) {
  const std::size_t i = own_particle();
  if (i < kept.n) kept.position[i] = drifted(kept.position[i], factor, kept.velocity[i]);
}

__global__ void wrap_kernel(const RungArrays kept, double side) {
  const std::size_t i = own_particle();
  if (i < kept.n) kept.position[i] = wrapped(kept.position[i], side);
}

}  // namespace

void assign_rungs(const RungArrays& kept, const RungCriterion& criterion, double background, int synchronised,
                  RungCounts* counts, const Stream& stream) {
  const unsigned blocks = blocks_for(kept.n, threads * rounds);
  assign_rungs_kernel<<<blocks, threads, 0, stream.get()>>>(kept, criterion, background, synchronised, counts);
  check_cuda(cudaGetLastError(), "assign_rungs_kernel");
}

void kick_rungs(const RungArrays& kept, const RungFactors& factor, double background, int least, const Stream& stream) {
  kick_rungs_kernel<<<blocks_for(kept.n, threads), threads, 0, stream.get()>>>(kept, factor, background, least);
  check_cuda(cudaGetLastError(), "kick_rungs_kernel");
}

void kick_long_range(const RungArrays& kept, double factor, const Stream& stream) {
  kick_long_range_kernel<<<blocks_for(kept.n, threads), threads, 0, stream.get()>>>(kept, factor);
  check_cuda(cudaGetLastError(), "kick_long_range_kernel");
}

void drift(const RungArrays& kept, double factor, const Stream& stream) {
  drift_kernel<<<blocks_for(kept.n, threads), threads, 0, stream.get()>>>(kept, factor);
  check_cuda(cudaGetLastError(), "drift_kernel");
}

void wrap(const RungArrays& kept, double side, const Stream& stream) {
  wrap_kernel<<<blocks_for(kept.n, threads), threads, 0, stream.get()>>>(kept, side);
  check_cuda(cudaGetLastError(), "wrap_kernel");
}

}  // namespace multiwalk
