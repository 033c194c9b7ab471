// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cub/block/block_reduce.cuh>

#include "device/base/blocks_for.cuh"
#include "device/mesh/mesh_kernels.cuh"

namespace multiwalk {

namespace {

constexpr unsigned count_threads = 256, most_blocks = 2048;

struct Larger {
  __device__ unsigned operator()(unsigned a, unsigned b) const { return max(a, b); }
};
struct Sum {
  __device__ unsigned long long operator()(unsigned long long a, unsigned long long b) const { return a + b; }
};

/// Calls act(mass) for this thread's part of the masses.
template <class Act>
__device__ void for_own_masses(const float* mass, std::size_t n, const Act& act) {
  const std::size_t step = std::size_t{gridDim.x} * count_threads;
  for (std::size_t i = std::size_t{blockIdx.x} * count_threads + threadIdx.x; i < n; i += step) act(mass[i]);
}

/// Bits of numbers that are not negative are in the numbers' order.
__global__ void heaviest_kernel(const float* mass, std::size_t n, unsigned long long* heaviest) {
  using Reduce = cub::BlockReduce<unsigned, count_threads>;
  __shared__ typename Reduce::TempStorage storage;
  constexpr unsigned sign = 0x80000000U, infinity = 0x7f800000U;
  unsigned most = 0;
  for_own_masses(mass, n, [&](float m) {
    const unsigned bits = __float_as_uint(m);
    if ((bits & ~sign) >= infinity) most = infinity;
    if ((bits & sign) == 0) most = max(most, min(bits, infinity));
  });
  most = Reduce(storage).Reduce(most, Larger{});
  if (threadIdx.x == 0) atomicMax(heaviest, static_cast<unsigned long long>(most));
}

__global__ void total_kernel(const float* mass, std::size_t n, double counts_of_mass, unsigned long long* total) {
  using Reduce = cub::BlockReduce<unsigned long long, count_threads>;
  __shared__ typename Reduce::TempStorage storage;
  unsigned long long sum = 0;
  for_own_masses(mass, n,
                 [&](float m) { sum += static_cast<unsigned long long>(counts_of_mass * static_cast<double>(m)); });
  sum = Reduce(storage).Reduce(sum, Sum{});
  if (threadIdx.x == 0) atomicAdd(total, sum);
}

/// The value of a word in device memory after act(word), which begins as 0.
template <class Act>
unsigned long long result_of(unsigned long long* word, const Stream& stream, const Act& act) {
  unsigned long long value = 0;
  check_cuda(cudaMemsetAsync(word, 0, sizeof *word, stream.get()), "cudaMemsetAsync");
  act(word);
  check_cuda(cudaGetLastError(), "a sum of masses");
  check_cuda(cudaMemcpyAsync(&value, word, sizeof value, cudaMemcpyDeviceToHost, stream.get()), "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream.get()), "a sum of masses");
  return value;
}

unsigned blocks_of(std::size_t n) {
  return std::min(blocks_for(n, count_threads), most_blocks);
}

}  // namespace

float heaviest_mass(const float* mass, std::size_t n, unsigned long long* word, const Stream& stream) {
  if (n == 0) return 0;
  const unsigned long long bits = result_of(word, stream, [&](unsigned long long* heaviest) {
    heaviest_kernel<<<blocks_of(n), count_threads, 0, stream.get()>>>(mass, n, heaviest);
  });
  return number_of(static_cast<std::uint32_t>(bits));
}

double counts_of_mass(float heaviest, std::size_t n) {
  constexpr double room = 0x1p61;
  return std::exp2(std::floor(std::log2(room / (static_cast<double>(heaviest) * static_cast<double>(n)))));
}

unsigned long long total_counts(const MassPoints& points, double counts_of_mass, unsigned long long* word,
                                const Stream& stream) {
  if (points.count == 0) return 0;
  return result_of(word, stream, [&](unsigned long long* total) {
    total_kernel<<<blocks_of(points.count), count_threads, 0, stream.get()>>>(points.mass, points.count, counts_of_mass,
                                                                              total);
  });
}

}  // namespace multiwalk
