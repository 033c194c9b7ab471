// One thread block per walk. Targets stay in registers, several per thread; sources pass through shared memory in
// tiles, already relative to the walk's centre (subtracted in double). A small group's tile is shared out over several
// sets of threads whose sums are added at the end. Sums of at most `partial` sources are single precision, the rest
// double.
#include <cub/block/block_scan.cuh>

#include "device/cuda_check.cuh"
#include "device/walk_kernel.cuh"
#include "host/force/pair_force.hpp"

namespace multiwalk {

namespace {

constexpr int threads = 256;
constexpr int most_targets_per_thread = 4;
constexpr unsigned partial = 256;

using RangeScan = cub::BlockScan<std::uint32_t, threads>;

/// Moments beyond the monopole of one source in shared memory.
struct Moments {
  float4 a;  ///< xx, xy, xz, yy
  float2 b;  ///< yz, zz
};

/// Sums on their way between threads.
struct Sum {
  double x, y, z, potential;
};

/// Shared memory of a block. The sums are exchanged when no tile is needed any more.
struct Tile {
  union {
    struct {
      float4 source[threads];  ///< position and mass
      Moments moments[threads];
    };
    Sum sum[threads / 2 * most_targets_per_thread];
  };
  std::uint32_t range_start[threads];  ///< first source of each range, counted through the ranges at hand
  std::uint32_t range_shift[threads];  ///< particle = source + shift
  RangeScan::TempStorage scan;
};

/// How a block shares its work: `sets` of `width` threads; each set has all targets of a pass, `targets` per thread.
struct Shape {
  unsigned targets;
  unsigned passes;
  unsigned width;
  unsigned sets;
};

/// The cheapest of 32 shapes, one per lane of the warp; costs in issue slots per source and thread.
__device__ Shape choose_shape(unsigned target_count) {
  const unsigned lane = threadIdx.x % 32;
  const auto shape_of = [target_count](unsigned choice) {
    const unsigned targets = 1 + choice % most_targets_per_thread;
    const unsigned fewest =
        (target_count + threads * most_targets_per_thread - 1) / (threads * most_targets_per_thread);
    const unsigned passes = fewest + choice / most_targets_per_thread;
    const unsigned pass_targets = (target_count + passes - 1) / passes;
    const unsigned width = (pass_targets + targets - 1) / targets;
    return Shape{targets, passes, width, threads / width};
  };
  const Shape mine = shape_of(lane);
  constexpr float pair = 14, load = 3, stage = 0.5F;
  const float cost =
      mine.sets == 0 ? 1e30F
                     : static_cast<float>(mine.passes) *
                           ((pair * static_cast<float>(mine.targets) + load) / static_cast<float>(mine.sets) + stage);
  const unsigned best = __reduce_min_sync(0xffffffffU, (__float_as_uint(cost) & ~31U) | lane);
  return shape_of(best & 31U);
}

__device__ float4 relative(Vec3d position, Vec3d centre, float mass) {
  const Vec3f d = static_cast<Vec3f>(position - centre);
  return {d.x, d.y, d.z, mass};
}

/// Targets of one pass and their sums.
template <int targets, bool softened>
struct Pass {
  Vec3f x[targets];
  ForceSum<float> sum[targets];
  ForceSum<double> total[targets];
  unsigned set, place;    ///< this thread's set of sources and place in the set
  unsigned first, count;  ///< targets of this pass, counted in the walk
  unsigned pending = 0;   ///< sources in `sum`

  __device__ Pass(const WalkLaunch& launch, const Walk& walk, const Shape& shape, unsigned pass) {
    const unsigned most = (walk.target_count + shape.passes - 1) / shape.passes;
    first = min(pass * most, walk.target_count);
    count = min(most, walk.target_count - first);
    set = threadIdx.x / shape.width;
    place = threadIdx.x % shape.width;
    for (int t = 0; t < targets; ++t) {
      const unsigned i = min(first + place + static_cast<unsigned>(t) * shape.width, walk.target_count - 1);
      x[t] = static_cast<Vec3f>(launch.target_position[walk.target_first + i] - walk.centre);
      sum[t] = {};
      total[t] = {};
    }
  }

  __device__ void flush() {
    for (int t = 0; t < targets; ++t) {
      total[t].x += static_cast<double>(sum[t].x);
      total[t].y += static_cast<double>(sum[t].y);
      total[t].z += static_cast<double>(sum[t].z);
      total[t].potential += static_cast<double>(sum[t].potential);
      sum[t] = {};
    }
    pending = 0;
  }

  /// Adds the tile's first `source_count` sources, a multiple of the number of sets.
  template <bool quadrupole>
  __device__ void add(const Tile& tile, unsigned source_count, const Shape& shape, float softening2) {
    const unsigned each = source_count / shape.sets;
    if (pending + each > partial) flush();
    pending += each;
    if (set >= shape.sets) return;
#pragma unroll 4
    for (unsigned j = set; j < source_count; j += shape.sets) {
      const float4 s = tile.source[j];
      if constexpr (quadrupole) {
        const Moments m = tile.moments[j];
        const SecondMoment<float> second{m.a.x, m.a.y, m.a.z, m.a.w, m.b.x, m.b.y};
        for (int t = 0; t < targets; ++t) {
          accumulate_quadrupole<softened>(Vec3f{s.x - x[t].x, s.y - x[t].y, s.z - x[t].z}, s.w, second, softening2,
                                          sum[t]);
        }
      } else {
        for (int t = 0; t < targets; ++t) {
          accumulate_monopole<softened>(Vec3f{s.x - x[t].x, s.y - x[t].y, s.z - x[t].z}, s.w, softening2, sum[t]);
        }
      }
    }
  }

  /// Adds the sums of all sets into those of the first.
  __device__ void reduce(Tile& tile, const Shape& shape) {
    flush();
    for (unsigned sets = shape.sets; sets > 1;) {
      const unsigned half = (sets + 1) / 2;
      __syncthreads();
      if (set >= half && set < sets) {
        for (int t = 0; t < targets; ++t)
          tile.sum[((set - half) * shape.width + place) * targets + t] = {total[t].x, total[t].y, total[t].z,
                                                                          total[t].potential};
      }
      __syncthreads();
      if (set < sets - half) {
        for (int t = 0; t < targets; ++t) {
          const Sum other = tile.sum[(set * shape.width + place) * targets + t];
          total[t].x += other.x;
          total[t].y += other.y;
          total[t].z += other.z;
          total[t].potential += other.potential;
        }
      }
      sets = half;
    }
    __syncthreads();
  }

  __device__ void store(const WalkLaunch& launch, const Walk& walk, const Shape& shape) const {
    if (set != 0) return;
    for (int t = 0; t < targets; ++t) {
      const unsigned i = place + static_cast<unsigned>(t) * shape.width;
      if (i >= count) continue;
      double potential = total[t].potential;
      if (softened && launch.own_tree) {
        potential -=
            static_cast<double>(launch.target_mass[walk.target_first + first + i] * inverse_sqrt(launch.softening2));
      }
      const double g = launch.gravitational_constant;
      launch.result[launch.result_first[blockIdx.x] - launch.result_base + first + i] = {
          static_cast<float>(g * total[t].x), static_cast<float>(g * total[t].y), static_cast<float>(g * total[t].z),
          static_cast<float>(-g * potential)};
    }
  }
};

/// Cells of the walk's list, a tile at a time.
template <bool quadrupole, class PassType>
__device__ void add_cells(const WalkLaunch& launch, const Walk& walk, const Shape& shape, Tile& tile, PassType& pass) {
  const unsigned capacity = threads / shape.sets * shape.sets;
  const std::uint32_t* cell = launch.cell + (walk.cell_first - launch.cell_base);
  for (unsigned base = 0; base < walk.cell_count; base += capacity) {
    const unsigned left = min(capacity, walk.cell_count - base);
    __syncthreads();
    if (threadIdx.x < left) {
      const Multipole& m = launch.multipole[cell[base + threadIdx.x]];
      tile.source[threadIdx.x] = relative(m.centre_of_mass, walk.centre, m.mass);
      if constexpr (quadrupole) tile.moments[threadIdx.x] = {{m.xx, m.xy, m.xz, m.yy}, {m.yz, m.zz}};
    } else {
      tile.source[threadIdx.x] = {};
      if constexpr (quadrupole) tile.moments[threadIdx.x] = {};
    }
    __syncthreads();
    pass.template add<quadrupole>(tile, (left + shape.sets - 1) / shape.sets * shape.sets, shape, launch.softening2);
  }
}

/// Numbers the sources of up to `threads` ranges; returns how many there are.
__device__ unsigned number_sources(const ParticleRange* range, unsigned range_count, Tile& tile) {
  const ParticleRange mine = threadIdx.x < range_count ? range[threadIdx.x] : ParticleRange{};
  std::uint32_t start = 0, total = 0;
  __syncthreads();
  RangeScan(tile.scan).ExclusiveSum(mine.count, start, total);
  tile.range_start[threadIdx.x] = start;
  tile.range_shift[threadIdx.x] = mine.first - start;
  return total;
}

/// The last range that starts at or before the source.
__device__ std::uint32_t particle_of(std::uint32_t source, const Tile& tile) {
  unsigned range = 0;
  for (unsigned step = threads / 2; step > 0; step /= 2) {
    if (tile.range_start[range + step] <= source) range += step;
  }
  return source + tile.range_shift[range];
}

/// Particles of the walk's list, a tile at a time.
template <class PassType>
__device__ void add_particles(const WalkLaunch& launch, const Walk& walk, const Shape& shape, Tile& tile,
                              PassType& pass) {
  const unsigned capacity = threads / shape.sets * shape.sets;
  const ParticleRange* range = launch.range + (walk.range_first - launch.range_base);
  for (unsigned r = 0; r < walk.range_count; r += threads) {
    const unsigned source_count = number_sources(range + r, min(threads, walk.range_count - r), tile);
    for (unsigned base = 0; base < source_count; base += capacity) {
      const unsigned left = min(capacity, source_count - base);
      __syncthreads();
      if (threadIdx.x < left) {
        const std::uint32_t p = particle_of(base + threadIdx.x, tile);
        tile.source[threadIdx.x] = relative(launch.position[p], walk.centre, launch.mass[p]);
      } else {
        tile.source[threadIdx.x] = {};
      }
      __syncthreads();
      pass.template add<false>(tile, (left + shape.sets - 1) / shape.sets * shape.sets, shape, launch.softening2);
    }
  }
}

template <int targets, bool softened, bool quadrupole>
__device__ void evaluate(const WalkLaunch& launch, const Walk& walk, const Shape& shape, Tile& tile) {
  for (unsigned p = 0; p < shape.passes; ++p) {
    Pass<targets, softened> pass(launch, walk, shape, p);
    add_cells<quadrupole>(launch, walk, shape, tile, pass);
    add_particles(launch, walk, shape, tile, pass);
    pass.reduce(tile, shape);
    pass.store(launch, walk, shape);
  }
}

template <bool softened, bool quadrupole>
__global__ void __launch_bounds__(threads, 2) walk_kernel(const WalkLaunch launch) {
  __shared__ Tile tile;
  const Walk walk = launch.walk[blockIdx.x];
  if (walk.target_count == 0) return;
  const Shape shape = choose_shape(walk.target_count);
  static_assert(most_targets_per_thread == 4);
  switch (shape.targets) {
    case 1:
      return evaluate<1, softened, quadrupole>(launch, walk, shape, tile);
    case 2:
      return evaluate<2, softened, quadrupole>(launch, walk, shape, tile);
    case 3:
      return evaluate<3, softened, quadrupole>(launch, walk, shape, tile);
    default:
      return evaluate<4, softened, quadrupole>(launch, walk, shape, tile);
  }
}

}  // namespace

void launch_walks(const WalkLaunch& launch, cudaStream_t stream) {
  if (launch.walk_count == 0) return;
  const bool softened = launch.softening2 > 1e-22F;
  const auto kernel = softened ? (launch.quadrupole ? walk_kernel<true, true> : walk_kernel<true, false>)
                               : (launch.quadrupole ? walk_kernel<false, true> : walk_kernel<false, false>);
  kernel<<<launch.walk_count, threads, 0, stream>>>(launch);
  check_cuda(cudaGetLastError(), "walk_kernel");
}

}  // namespace multiwalk
