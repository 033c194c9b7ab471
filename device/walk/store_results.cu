// SPDX-License-Identifier: GPL-3.0-or-later
// Writes results of walks by place, or in the order of the store, which takes ten times as long.
#include "device/base/cuda_check.cuh"
#include "device/walk/walk_kernel.cuh"

namespace multiwalk {

namespace {

constexpr unsigned threads = 128;

__global__ void store_results_kernel(const WalkLaunch launch, const StoreResults to) {
  const Walk walk = launch.walk[blockIdx.x];
  const float4* result = launch.result + (walk.result_first - launch.result_base);
  const float pairs = walk.work_of_target();
  for (unsigned i = threadIdx.x; i < walk.target_count; i += threads) {
    const std::uint32_t place = walk.target_first + i, index = to.order == nullptr ? place : to.order[place];
    const float4 r = result[i];
    const Vec3f pull{r.x, r.y, r.z};
    if (to.rung != nullptr) {
      if (to.rung[place] >= to.least_rung) to.acceleration[place] = pull + to.long_range[place];
      continue;
    }
    to.acceleration[index] = to.accumulate ? to.acceleration[index] + pull : pull;
    to.potential[index] = to.accumulate ? to.potential[index] + r.w : r.w;
    to.work[index] = to.accumulate ? to.work[index] + pairs : pairs;
  }
}

}  // namespace

void store_results(const WalkLaunch& launch, const StoreResults& to, cudaStream_t stream) {
  if (launch.walk_count == 0) return;
  store_results_kernel<<<launch.walk_count, threads, 0, stream>>>(launch, to);
  check_cuda(cudaGetLastError(), "store_results_kernel");
}

}  // namespace multiwalk
