// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled without fused multiply-adds: images have the host's bits.
#include <cub/device/device_select.cuh>

#include "device/base/blocks_for.cuh"
#include "device/particles/near_copies.cuh"
#include "device/particles/passing.cuh"

namespace multiwalk {

namespace {

constexpr unsigned threads = threads_of_passage;

__global__ void mark_passing_kernel(const PassingSearch search, std::uint32_t* place, std::uint32_t* count) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  const PassingParticle p = passing_particle(search.light, search.position, search.velocity, search.n);
  const PassingReach reach = reach_of_block(p);
  bool passes = p.mine && p.way > search.light.light_way;
  for_each_near_copy(search.light, search.copy, search.copies, reach, [&](const PassageCopy& copy) {
    passes = passes || (p.mine && may_pass(search.light, copy, p.x, p.way));
  });
  if (passes) {
    std::uint32_t& own = place[search.index[i]];
    passes = own == not_passing;
    own = static_cast<std::uint32_t>(i);
  }
  const int marked = __syncthreads_count(passes ? 1 : 0);
  if (threadIdx.x == 0 && marked > 0) atomicAdd(count, static_cast<std::uint32_t>(marked));
}

struct IsPassing {
  __device__ bool operator()(std::uint32_t place) const { return place != not_passing; }
};

}  // namespace

void mark_passing(const PassingSearch& search, std::uint32_t* place, std::uint32_t* count, const Stream& stream) {
  mark_passing_kernel<<<blocks_for(search.n, threads), threads, 0, stream.get()>>>(search, place, count);
  check_cuda(cudaGetLastError(), "mark_passing_kernel");
}

cudaError_t select_passing(void* memory, std::size_t& bytes, const PassingSelection& selection, const Stream& stream) {
  return cub::DeviceSelect::If(memory, bytes, selection.place, selection.chosen, selection.count,
                               static_cast<std::int64_t>(selection.n), IsPassing{}, stream.get());
}

}  // namespace multiwalk
