// SPDX-License-Identifier: GPL-3.0-or-later
// One thread block per walk, for particles and the cells that are not far. Targets stay in registers, several per
// thread; sources pass through shared memory in tiles. A small group's tile is divided among several sets of threads
// whose sums are added at the end. Sums of at most Force::partial sources are single precision, the rest double (as the
// Chamomile scheme's, Hamada & Iitaka 2007).
#include "device/base/cuda_check.cuh"
#include "device/walk/walk_forces.cuh"
#include "device/walk/walk_kernel.cuh"
#include "device/walk/walk_sources.cuh"

namespace multiwalk {

namespace {

/// Double-precision sums in shared memory, a column per thread.
template <class Force>
constexpr unsigned totals_bytes = 4 * Force::most_targets* Force::threads * sizeof(double);
extern __shared__ double totals[];

template <class Force>
__device__ unsigned rows_of(const Walk& walk) {
  return (walk.target_count + Force::worker - 1) / Force::worker;
}

template <class T>
__device__ T& component(ForceSum<T>& sum, unsigned c) {
  return c == 0 ? sum.x : c == 1 ? sum.y : c == 2 ? sum.z : sum.potential;
}

/// Targets of one pass and their sums. A worker, which is a thread or, for a force with a cut-off, a warp, has
/// `targets` rows of them, each as long as it has threads.
template <unsigned targets, class Force>
struct Pass {
  Vec3f x[targets];
  ForceSum<float> sum[targets];
  unsigned set, place;    ///< this worker's set of sources and place in the set
  unsigned first, count;  ///< targets of this pass, counted in the walk
  unsigned pending = 0;   ///< sources in `sum`

  __device__ Pass(const WalkLaunch& launch, const Walk& walk, const BlockShape& shape, unsigned pass) {
    const unsigned most = shape.pass_items(rows_of<Force>(walk)) * Force::worker;
    first = min(pass * most, walk.target_count);
    count = min(most, walk.target_count - first);
    set = threadIdx.x / Force::worker / shape.width;
    place = threadIdx.x / Force::worker % shape.width;
#pragma unroll
    for (unsigned t = 0; t < targets; ++t) {
      const unsigned i = min(first + target(t, shape), walk.target_count - 1);
      x[t] = static_cast<Vec3f>(launch.target_position[walk.target_first + i] - walk.centre);
      sum[t] = {};
#pragma unroll
      for (unsigned c = 0; c < 4; ++c) total(t, c) = 0;
    }
  }

  /// Number in the pass of this thread's target t. A warp's follow each other, so that they lie close together.
  __device__ unsigned target(unsigned t, const BlockShape& shape) const {
    if constexpr (Force::worker == 1) return place + t * shape.width;
    return (place * targets + t) * Force::worker + threadIdx.x % Force::worker;
  }

  __device__ static double& total(unsigned target, unsigned c, unsigned thread = threadIdx.x) {
    return totals[(4 * target + c) * Force::threads + thread];
  }

  __device__ void flush() {
#pragma unroll
    for (unsigned t = 0; t < targets; ++t) {
#pragma unroll
      for (unsigned c = 0; c < 4; ++c) total(t, c) += static_cast<double>(component(sum[t], c));
      sum[t] = {};
    }
    pending = 0;
  }

  /// Adds this thread's part of the tile's first `sources` sources, a multiple of the number of sets.
  template <bool quadrupole>
  __device__ void add(const Tile<Force::threads>& tile, unsigned sources, const BlockShape& shape, const Force& force) {
    if (set >= shape.sets) return;
    if constexpr (Force::worker == 1) {
      add_all<quadrupole>(tile, sources, shape, force);
    } else {
      add_near<quadrupole>(tile, sources, shape, force);
    }
  }

  template <bool quadrupole>
  __device__ void add_all(const Tile<Force::threads>& tile, unsigned sources, const BlockShape& shape,
                          const Force& force) {
    const unsigned each = sources / shape.sets;
    for (unsigned begin = 0; begin < each; begin += Force::partial) {
      const unsigned more = min(Force::partial, each - begin);
      if (pending + more > Force::partial) flush();
      pending += more;
      const float4* source = tile.source + set + begin * shape.sets;
      const TileMoment* moment = tile.moment + set + begin * shape.sets;
#pragma unroll(quadrupole ? 1 : 4)
      for (unsigned k = 0; k < more; ++k) {
        add_source<quadrupole>(*source, moment, force);
        source += shape.sets;
        moment += shape.sets;
      }
    }
  }

  /// Adds the sources within the cut-off of any of the warp's targets: each thread tests one, all evaluate the near
  /// ones.
  template <bool quadrupole>
  __device__ void add_near(const Tile<Force::threads>& tile, unsigned sources, const BlockShape& shape,
                           const Force& force) {
    if (place * targets * Force::worker >= count) return;
    const TargetBox box = enclose_targets();
    const unsigned each = sources / shape.sets, lane = threadIdx.x % Force::worker;
    for (unsigned begin = 0; begin < each; begin += Force::worker) {
      const bool is_near = begin + lane < each && force.reaches(tile.source[set + (begin + lane) * shape.sets], box);
      unsigned near = __ballot_sync(~0U, is_near);
      const auto more = static_cast<unsigned>(__popc(near));
      if (pending + more > Force::partial) flush();
      pending += more;
      for (; near != 0; near &= near - 1) {
        const unsigned k = set + (begin + static_cast<unsigned>(__ffs(near)) - 1) * shape.sets;
        add_source<quadrupole>(tile.source[k], tile.moment + k, force);
      }
    }
  }

  /// The box around all of the warp's targets.
  __device__ TargetBox enclose_targets() const {
    TargetBox box(x[0]);
#pragma unroll
    for (unsigned t = 1; t < targets; ++t) box.enclose(TargetBox(x[t]));
    for (unsigned step = Force::worker / 2; step > 0; step /= 2) box.enclose(box.of_lane(step));
    return box;
  }

  template <bool quadrupole>
  __device__ void add_source(const float4 s, const TileMoment* moment, const Force& force) {
    [[maybe_unused]] SecondMoment<float> second{};
    if constexpr (quadrupole) {
      const TileMoment m = *moment;
      second = {m.a.x, m.a.y, m.a.z, m.a.w, m.b.x, m.b.y};
    }
#pragma unroll
    for (unsigned t = 0; t < targets; ++t) {
      const Vec3f d{s.x - x[t].x, s.y - x[t].y, s.z - x[t].z};
      if constexpr (quadrupole) {
        force.add(d, s.w, second, sum[t]);
      } else {
        force.add(d, s.w, sum[t]);
      }
    }
  }

  /// Adds the sums of all sets into those of the first, pairwise.
  __device__ void reduce(const BlockShape& shape) {
    flush();
    for (unsigned sets = shape.sets; sets > 1; sets = (sets + 1) / 2) {
      const unsigned half = (sets + 1) / 2;
      __syncthreads();
      if (set >= sets - half) continue;
#pragma unroll
      for (unsigned k = 0; k < 4 * targets; ++k) {
        total(k / 4, k % 4) += total(k / 4, k % 4, threadIdx.x + half * shape.width * Force::worker);
      }
    }
    __syncthreads();
  }

  __device__ void write(const WalkLaunch& launch, const Walk& walk, const BlockShape& shape) const {
    if (set != 0) return;
    const unsigned result = walk.result_first - launch.result_base + first;
    const double g = launch.gravitational_constant;
    for (unsigned t = 0; t < targets; ++t) {
      const unsigned i = target(t, shape);
      if (i >= count) continue;
      double potential = total(t, 3);
      if (launch.own_tree) {
        potential -= static_cast<double>(launch.target_mass[walk.target_first + first + i] * launch.own_depth);
      }
      launch.result[result + i] = {static_cast<float>(g * total(t, 0)), static_cast<float>(g * total(t, 1)),
                                   static_cast<float>(g * total(t, 2)), static_cast<float>(-g * potential)};
    }
  }
};

template <unsigned targets, bool quadrupole, class Force>
__device__ void evaluate(const WalkLaunch& launch, const Walk& walk, const BlockShape& shape,
                         Tile<Force::threads>& tile) {
  const Force force(launch, walk);
  const CellList cells{launch.multipole, launch.cell + (walk.cell_first + walk.far_count - launch.cell_base)};
  const ParticleList particles{launch.position, launch.mass};
  const ParticleRange* range = launch.range + (walk.range_first - launch.range_base);
  for (unsigned p = 0; p < shape.passes; ++p) {
    Pass<targets, Force> pass(launch, walk, shape, p);
    for_each_tile<quadrupole>(cells, walk.cell_count - walk.far_count, force, shape, tile,
                              [&](unsigned sources) { pass.template add<quadrupole>(tile, sources, shape, force); });
    for (unsigned r = 0; r < walk.range_count; r += Force::threads) {
      const unsigned count = number_particles(range + r, min(Force::threads, walk.range_count - r), tile);
      for_each_tile<false>(particles, count, force, shape, tile,
                           [&](unsigned sources) { pass.template add<false>(tile, sources, shape, force); });
    }
    pass.reduce(shape);
    pass.write(launch, walk, shape);
  }
}

/// The instance that holds shape.each targets.
template <unsigned targets, bool quadrupole, class Force>
__device__ void evaluate_at_most(const WalkLaunch& launch, const Walk& walk, const BlockShape& shape,
                                 Tile<Force::threads>& tile) {
  if constexpr (targets > 1) {
    if (shape.each < targets) return evaluate_at_most<targets - 1, quadrupole, Force>(launch, walk, shape, tile);
  }
  evaluate<targets, quadrupole, Force>(launch, walk, shape, tile);
}

template <class Force, bool quadrupole>
__global__ void __launch_bounds__(Force::threads, Force::blocks) walk_kernel(const WalkLaunch launch) {
  __shared__ Tile<Force::threads> tile;
  const Walk walk = launch.walk[blockIdx.x];
  if (walk.target_count == 0) return;
  const BlockShape shape =
      cheapest_shape<Force::threads / Force::worker, Force::most_targets>(rows_of<Force>(walk), Force::slots());
  evaluate_at_most<Force::most_targets, quadrupole, Force>(launch, walk, shape, tile);
}

/// Calls act(kernel, threads, bytes of shared memory) for this law's kernel.
template <class Force, class Act>
void with_order(bool quadrupole, const Act& act) {
  act(quadrupole ? walk_kernel<Force, true> : walk_kernel<Force, false>, Force::threads, totals_bytes<Force>);
}

template <bool softened, class Act>
void with_law(bool split, bool large, bool quadrupole, const Act& act) {
  if (split) return with_order<NearForce<softened>>(quadrupole, act);
  large ? with_order<WholeForce<softened, LargeGroups>>(quadrupole, act)
        : with_order<WholeForce<softened, SmallGroups>>(quadrupole, act);
}

/// The choices of a kernel.
struct KernelChoice {
  bool split, softened, large, quadrupole;
};

template <class Act>
void with_kernel(KernelChoice c, const Act& act) {
  c.softened ? with_law<true>(c.split, c.large, c.quadrupole, act)
             : with_law<false>(c.split, c.large, c.quadrupole, act);
}

}  // namespace

void prepare_walks() {
  for (unsigned c = 0; c < 16; ++c) {
    with_kernel({(c & 1) != 0, (c & 2) != 0, (c & 4) != 0, (c & 8) != 0}, [](auto kernel, unsigned, unsigned bytes) {
      check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                 "cudaFuncSetAttribute");
    });
  }
  prepare_far_cells();
}

void launch_walks(const WalkLaunch& launch, cudaStream_t stream) {
  if (launch.walk_count == 0) return;
  const bool softened = is_softened(static_cast<double>(launch.softening2));
  with_kernel({launch.is_split(), softened, launch.large_groups, launch.quadrupole},
              [&](auto kernel, unsigned threads, unsigned bytes) {
                kernel<<<launch.walk_count, threads, bytes, stream>>>(launch);
                check_cuda(cudaGetLastError(), "walk_kernel");
              });
  if (launch.has_far_cells()) launch_far_cells(launch, stream);
  launch_expansions(launch, stream);
}

}  // namespace multiwalk
