// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks over targets (x) and over parts of the sources (y); sources pass through shared memory in tiles. Sums of at
// most `partial_sources` are single precision, the rest double, as in the walk kernel.
#include "device/base/cuda_check.cuh"
#include "device/walk/single_walk_kernels.cuh"
#include "device/walk/walk_forces.cuh"
#include "device/walk/walk_sources.cuh"

namespace multiwalk {

namespace {

constexpr unsigned partial_sources = 128;
constexpr unsigned block_threads = 256;

/// A list from its entry `first` on.
template <class List>
struct ListFrom {
  List list;
  unsigned first;

  __device__ std::uint32_t index(unsigned i, const Tile<block_threads>& tile) const {
    return list.index(first + i, tile);
  }
  __device__ FetchedSource fetch(std::uint32_t i) const { return list.fetch(i); }
};

/// The beginning of part `part` of `parts` equal parts.
__device__ unsigned part_begin(unsigned count, unsigned part, unsigned parts) {
  return static_cast<unsigned>(std::uint64_t{count} * part / parts);
}

/// The target of one thread.
struct Target {
  Vec3f x;
  ForceSum<double> total{};

  /// Adds the tile's first `sources` sources.
  template <bool quadrupole, class Force>
  __device__ void add(const Tile<block_threads>& tile, unsigned sources, const Force& force) {
    for (unsigned begin = 0; begin < sources; begin += partial_sources) {
      ForceSum<float> sum{};
      const unsigned end = min(begin + partial_sources, sources);
#pragma unroll(quadrupole ? 1 : 4)
      for (unsigned k = begin; k < end; ++k) {
        const float4 s = tile.source[k];
        const Vec3f d{s.x - x.x, s.y - x.y, s.z - x.z};
        if constexpr (quadrupole) {
          const TileMoment m = tile.moment[k];
          const SecondMoment<float> second{m.a.x, m.a.y, m.a.z, m.a.w, m.b.x, m.b.y};
          force.add(d, s.w, second, sum);
        } else {
          force.add(d, s.w, sum);
        }
      }
      total.x += static_cast<double>(sum.x);
      total.y += static_cast<double>(sum.y);
      total.z += static_cast<double>(sum.z);
      total.potential += static_cast<double>(sum.potential);
    }
  }
};

/// Writes the walk's target i: with G, its own pair taken out.
template <bool softened>
__device__ void write_force(const SingleWalkLaunch& launch, unsigned i, ForceSum<double> total) {
  const WalkLaunch& arrays = launch.arrays;
  if (softened && arrays.own_tree) {
    const float mass = arrays.target_mass[launch.walk.target_first + i];
    total.potential -= static_cast<double>(mass * inverse_sqrt(arrays.softening2));
  }
  const double g = arrays.gravitational_constant;
  arrays.result[i] = {static_cast<float>(g * total.x), static_cast<float>(g * total.y), static_cast<float>(g * total.z),
                      static_cast<float>(-g * total.potential)};
}

template <bool softened, bool quadrupole>
__global__ void __launch_bounds__(block_threads) single_walk_kernel(const SingleWalkLaunch launch) {
  __shared__ Tile<block_threads> tile;
  constexpr BlockShape shape{1, 1, block_threads, 1};
  const WalkLaunch& arrays = launch.arrays;
  const Walk& walk = launch.walk;
  const unsigned part = blockIdx.y, i = blockIdx.x * block_threads + threadIdx.x;
  const unsigned place = walk.target_first + min(i, walk.target_count - 1);
  const WholeForce<softened, SmallGroups> force(arrays, walk);
  Target target{static_cast<Vec3f>(arrays.target_position[place] - walk.centre)};

  const unsigned first_cell = part_begin(walk.cell_count, part, launch.parts);
  const unsigned cells = part_begin(walk.cell_count, part + 1, launch.parts) - first_cell;
  const ListFrom<CellList> cell_list{{arrays.multipole, arrays.cell}, first_cell};
  for_each_tile<quadrupole>(cell_list, cells, force, shape, tile,
                            [&](unsigned sources) { target.template add<quadrupole>(tile, sources, force); });

  const unsigned begin = part_begin(walk.source_count, part, launch.parts);
  const unsigned end = part_begin(walk.source_count, part + 1, launch.parts);
  unsigned numbered = 0;
  for (unsigned r = 0; r < walk.range_count && numbered < end; r += block_threads) {
    const unsigned count = number_particles(arrays.range + r, min(block_threads, walk.range_count - r), tile);
    const unsigned from = max(begin, numbered), to = min(end, numbered + count);
    if (from < to) {
      const ListFrom<ParticleList> particle_list{{arrays.position, arrays.mass}, from - numbered};
      for_each_tile<false>(particle_list, to - from, force, shape, tile,
                           [&](unsigned sources) { target.template add<false>(tile, sources, force); });
    }
    numbered += count;
  }

  if (i >= walk.target_count) return;
  if (launch.parts == 1) {
    write_force<softened>(launch, i, target.total);
  } else {
    const ForceSum<double>& sum = target.total;
    launch.partial[std::size_t{part} * walk.target_count + i] = {static_cast<float>(sum.x), static_cast<float>(sum.y),
                                                                 static_cast<float>(sum.z),
                                                                 static_cast<float>(sum.potential)};
  }
}

/// One thread per target adds the sums of all parts.
template <bool softened>
__global__ void __launch_bounds__(block_threads) reduce_parts_kernel(const SingleWalkLaunch launch) {
  const unsigned i = blockIdx.x * block_threads + threadIdx.x;
  if (i >= launch.walk.target_count) return;
  ForceSum<double> total{};
  for (unsigned part = 0; part < launch.parts; ++part) {
    const float4 sum = launch.partial[std::size_t{part} * launch.walk.target_count + i];
    total.x += static_cast<double>(sum.x);
    total.y += static_cast<double>(sum.y);
    total.z += static_cast<double>(sum.z);
    total.potential += static_cast<double>(sum.w);
  }
  write_force<softened>(launch, i, total);
}

template <bool softened>
void launch_kernels(const SingleWalkLaunch& launch, cudaStream_t stream) {
  const unsigned blocks = (launch.walk.target_count + block_threads - 1) / block_threads;
  const auto kernel =
      launch.arrays.quadrupole ? single_walk_kernel<softened, true> : single_walk_kernel<softened, false>;
  kernel<<<dim3(blocks, launch.parts), block_threads, 0, stream>>>(launch);
  check_cuda(cudaGetLastError(), "single_walk_kernel");
  if (launch.parts == 1) return;
  reduce_parts_kernel<softened><<<blocks, block_threads, 0, stream>>>(launch);
  check_cuda(cudaGetLastError(), "reduce_parts_kernel");
}

}  // namespace

void launch_single_walk(const SingleWalkLaunch& launch, cudaStream_t stream) {
  if (launch.walk.target_count == 0) return;
  if (is_softened(static_cast<double>(launch.arrays.softening2))) {
    launch_kernels<true>(launch, stream);
  } else {
    launch_kernels<false>(launch, stream);
  }
}

}  // namespace multiwalk
