// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/base/blocks_for.cuh"
#include "device/mesh/mesh_kernels.cuh"
#include "host/mesh/mass_assignment.hpp"

namespace multiwalk {

namespace {

constexpr unsigned threads = 128;
constexpr int order = static_cast<int>(Assignment::pcs);

/// A particle's cloud.
struct DeviceCloud {
  CloudShares<order> x, y, z;

  __device__ DeviceCloud(const Vec3d& p, const MeshPlaces& mesh)
      : x(shares(p.x, mesh)), y(shares(p.y, mesh)), z(shares(p.z, mesh)) {}

  /// A coordinate that is not finite is replaced by 0: the particle's pair forces will reveal it.
  __device__ static CloudShares<order> shares(double coordinate, const MeshPlaces& mesh) {
    const double place = mesh_place(coordinate / mesh.box_size, mesh.cells, mesh.shift);
    return cloud_shares<order>(place >= 0 && place <= mesh.cells ? place : 0);
  }

  /// Calls act(line, weight) for the lines along z that it touches: line = x N + y.
  template <class Act>
  __device__ void for_each_line(std::uint32_t cells, const Act& act) const {
#pragma unroll
    for (int i = 0; i < order; ++i) {
      const std::size_t plane = std::size_t{periodic_point(x.first + i, cells)} * cells;
#pragma unroll
      for (int j = 0; j < order; ++j) act(plane + periodic_point(y.first + j, cells), x.weight[i] * y.weight[j]);
    }
  }
};

__global__ void deposit_clouds(const MassPoints points, MeshPlaces mesh, double counts_of_mass,
                               unsigned long long* counts) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= points.count) return;
  const DeviceCloud cloud(points.position[i], mesh);
  const double weight = counts_of_mass * static_cast<double>(points.mass[i]);
  std::uint32_t z[order];
  for (int k = 0; k < order; ++k) z[k] = periodic_point(cloud.z.first + k, mesh.cells);
  cloud.for_each_line(mesh.cells, [&](std::size_t line, double share) {
    unsigned long long* const along_z = counts + line * mesh.cells;
#pragma unroll
    for (int k = 0; k < order; ++k) {
      atomicAdd(along_z + z[k], static_cast<unsigned long long>(__double2ll_rn(weight * share * cloud.z.weight[k])));
    }
  });
}

__global__ void interpolate_clouds(const Vec3d* __restrict__ position, std::size_t n, MeshPlaces mesh,
                                   const float* __restrict__ field, float factor, Column result) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= n) return;
  const DeviceCloud cloud(position[i], mesh);
  const std::size_t length = 2 * (mesh.cells / 2 + 1);
  std::uint32_t z[order];
  float along_z[order], sum = 0;
  for (int k = 0; k < order; ++k) {
    z[k] = periodic_point(cloud.z.first + k, mesh.cells);
    along_z[k] = static_cast<float>(cloud.z.weight[k]);
  }
  cloud.for_each_line(mesh.cells, [&](std::size_t line, double share) {
    const float* const values = field + line * length;
    float of_line = 0;
#pragma unroll
    for (int k = 0; k < order; ++k) of_line += along_z[k] * values[z[k]];
    sum += static_cast<float>(share) * of_line;
  });
  result.first[i * result.stride] += factor * sum;
}

__global__ void set_constant(const float* mass, std::size_t n, double own, double everywhere, float* result) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i < n) result[i] = static_cast<float>(own * static_cast<double>(mass[i]) + everywhere);
}

}  // namespace

void deposit(const MassPoints& points, const MeshPlaces& places, double counts_of_mass, unsigned long long* counts,
             const Stream& stream) {
  deposit_clouds<<<blocks_for(points.count, threads), threads, 0, stream.get()>>>(points, places, counts_of_mass,
                                                                                  counts);
  check_cuda(cudaGetLastError(), "deposit_clouds");
}

void interpolate(const MassPoints& points, const MeshPlaces& places, const float* field, float factor,
                 const Column& result, const Stream& stream) {
  interpolate_clouds<<<blocks_for(points.count, threads), threads, 0, stream.get()>>>(points.position, points.count,
                                                                                      places, field, factor, result);
  check_cuda(cudaGetLastError(), "interpolate_clouds");
}

void set_constants(const float* mass, std::size_t n, double own, double everywhere, float* result,
                   const Stream& stream) {
  set_constant<<<blocks_for(n, threads), threads, 0, stream.get()>>>(mass, n, own, everywhere, result);
  check_cuda(cudaGetLastError(), "set_constant");
}

}  // namespace multiwalk
