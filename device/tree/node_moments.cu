// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/base/blocks_for.cuh"
#include "device/tree/node_moments.cuh"
#include "host/tree/moments.hpp"

namespace multiwalk {

namespace {

constexpr unsigned threads = 128;

__global__ void leaf_moments(const Node* node, std::uint32_t nodes, const Vec3d* position, const float* mass,
                             Multipole* multipole) {
  const std::uint32_t n = blockIdx.x * threads + threadIdx.x;
  if (n >= nodes) return;
  const Node leaf = node[n];
  if (leaf.leaf()) multipole[n] = multipole_of_particles(position + leaf.first, mass + leaf.first, leaf.count);
}

__global__ void inner_moments(const Node* node, std::uint32_t begin, std::uint32_t end, Multipole* multipole) {
  const std::uint32_t n = begin + blockIdx.x * threads + threadIdx.x;
  if (n >= end) return;
  const Node inner = node[n];
  if (!inner.leaf()) multipole[n] = multipole_of_cells(multipole + inner.first_child, inner.child_count);
}

__global__ void scatter_moments(const std::uint32_t* node, const Multipole* value, std::size_t count,
                                Multipole* multipole) {
  const std::size_t k = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (k < count) multipole[node[k]] = value[k];
}

}  // namespace

void find_moments(const Node* node, std::span<const std::uint32_t> level_offset, const Vec3d* position,
                  const float* mass, Multipole* multipole, const Stream& stream) {
  const std::uint32_t nodes = level_offset.back();
  // Kernels and the host read the moments with their padding.
  check_cuda(cudaMemsetAsync(multipole, 0, nodes * sizeof(Multipole), stream.get()), "cudaMemsetAsync");
  leaf_moments<<<blocks_for(nodes, threads), threads, 0, stream.get()>>>(node, nodes, position, mass, multipole);
  check_cuda(cudaGetLastError(), "leaf_moments");
  for (std::size_t level = level_offset.size() - 1; level-- > 0;) {
    const std::uint32_t begin = level_offset[level], end = level_offset[level + 1];
    inner_moments<<<blocks_for(end - begin, threads), threads, 0, stream.get()>>>(node, begin, end, multipole);
    check_cuda(cudaGetLastError(), "inner_moments");
  }
}

void replace_moments(const std::uint32_t* node, const Multipole* value, std::size_t count, Multipole* multipole,
                     const Stream& stream) {
  scatter_moments<<<blocks_for(count, threads), threads, 0, stream.get()>>>(node, value, count, multipole);
  check_cuda(cudaGetLastError(), "scatter_moments");
}

}  // namespace multiwalk
