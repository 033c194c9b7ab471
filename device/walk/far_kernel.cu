// SPDX-License-Identifier: GPL-3.0-or-later
// The far cells of many walks on tensor cores, one thread block per walk. A warp holds rows of 16 targets in registers
// and takes 8 cells at a time: two products give R^2 of the 128 pairs and one their u (far_pair.hpp), the weights
// follow pair by pair in the lanes that hold these, and two products add the weights A and one the weights B to the
// rows' sums. Tensor cores cut sums off: after `partial` blocks these are added, rounded, to those in shared memory.
#include "device/base/block_shape.cuh"
#include "device/base/cuda_check.cuh"
#include "device/walk/far_sources.cuh"
#include "device/walk/tensor_product.cuh"
#include "device/walk/walk_kernel.cuh"

namespace multiwalk {

namespace {

constexpr unsigned partial = 32;
constexpr unsigned most_far_rows = 4;  // rows of 16 targets per warp
constexpr unsigned far_blocks = 2;     // per multiprocessor, at least

/// Sums of a lane and row: of weights A times their rows, of weights B times theirs, and the potentials of two targets.
constexpr unsigned row_sums = 4 + 4 + 2;

struct FarMemory {
  FarTile tile;
  float total[most_far_rows][row_sums][far_threads];
};
extern __shared__ uint4 far_memory[];

/// Entry n of an array of numbers as an array of T.
template <class T, class Array>
__device__ T entry(const Array& array, unsigned n) {
  return reinterpret_cast<const T*>(&array)[n];
}

/// Rows of 16 targets.
__device__ unsigned rows_of(const Walk& walk) {
  return (walk.target_count + 15) / 16;
}

/// Where a warp's targets are.
struct FarTargets {
  const WalkLaunch& launch;
  const Walk& walk;
  unsigned width, set, place;  ///< warps of a set, this warp's set and place in it
  unsigned first, count;       ///< targets of this pass, counted in the walk

  __device__ FarTargets(const WalkLaunch& l, const Walk& w, const BlockShape& shape, unsigned pass)
      : launch(l), walk(w), width(shape.width), set(threadIdx.x / 32 / width), place(threadIdx.x / 32 % width) {
    const unsigned most = 16 * shape.pass_items(rows_of(walk));
    first = min(pass * most, walk.target_count);
    count = min(most, walk.target_count - first);
  }

  /// Number in this pass of the target of which this lane holds a part in a half of a row.
  __device__ unsigned number(unsigned row, unsigned half) const {
    return 16 * (place + row * width) + 8 * half + threadIdx.x % 32 / 4;
  }
  /// Its position; the last target's if there is none.
  __device__ Vec3f position(unsigned row, unsigned half) const {
    const unsigned i = min(first + number(row, half), walk.target_count - 1);
    return static_cast<Vec3f>(launch.target_position[walk.target_first + i] - walk.centre);
  }
};

/// Rows of targets in one pass, and their sums.
template <unsigned rows, bool quadrupole>
class FarPass {
 public:
  __device__ FarPass(const FarTargets& targets, FarMemory& memory) : targets_(targets), memory_(memory) {
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      const FarTarget x = far_target(targets.position(r, 0), threadIdx.x % 4);
      const FarTarget y = far_target(targets.position(r, 1), threadIdx.x % 4);
      place_[r] = {x.place[0], y.place[0], x.place[1], y.place[1]};
      rest_[r] = {x.rest, y.rest};
      shape_[r] = {x.shape[0], y.shape[0], x.shape[1], y.shape[1]};
      clear(r);
#pragma unroll
      for (unsigned n = 0; n < row_sums; ++n) total(r, n) = 0;
    }
  }

  /// Adds this warp's part of the tile's first `blocks` blocks.
  __device__ void add(unsigned blocks, unsigned sets) {
    if (targets_.set >= sets) return;
    const unsigned more = (blocks + sets - 1) / sets;
    if (pending_ + more > partial) flush();
    pending_ += more;
#pragma unroll 1
    for (unsigned b = targets_.set; b < blocks; b += sets) add_block(memory_.tile.block[b]);
  }

  /// Adds the sums of all sets and writes the first set's results.
  __device__ void finish(unsigned sets) {
    if (targets_.set < sets) {
      flush();
#pragma unroll 1
      for (unsigned r = 0; r < 2 * rows; ++r) total(r / 2, r % 2) = component(r / 2, r % 2);
    }
    __syncthreads();
    if (targets_.set == 0) {
#pragma unroll 1
      for (unsigned r = 0; r < 2 * rows; ++r) write(r / 2, r % 2, sets);
    }
    __syncthreads();
  }

 private:
  __device__ float& total(unsigned row, unsigned n) {
    return memory_.total[row][n][threadIdx.x];
  }

  __device__ void clear(unsigned r) {
    reach_[r] = pull_[r] = {};
    potential_[r] = {};
  }

  __device__ void add_block(const FarBlock& block) {
    const unsigned lane = threadIdx.x % 32, column = lane % 4;
    const auto place = entry<float2>(block.place, lane), reach = entry<float2>(block.reach, lane);
    const auto mass = entry<float2>(block.mass, column);
    const auto square = entry<float4>(block.square, column);
    float2 shape{}, pull{};
    float4 constant{};
    if constexpr (quadrupole) {
      shape = entry<float2>(block.shape, lane);
      pull = entry<float2>(block.pull, lane);
      constant = entry<float4>(block.constant, column);
    }
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      const float4 r2 = multiply(rest_[r], place.x, multiply(place_[r], place, square));
      float2& potential = potential_[r];
      // Sums lie as rows do if cells 0 2 4 6 1 3 5 7 are taken for a row's entries 0 .. 7.
      if constexpr (quadrupole) {
        const float4 u = multiply(shape_[r], shape, constant);
        const FarWeights x = far_weights(r2.x, mass.x, u.x, potential.x),
                         z = far_weights(r2.z, mass.x, u.z, potential.y),
                         y = far_weights(r2.y, mass.y, u.y, potential.x),
                         w = far_weights(r2.w, mass.y, u.w, potential.y);
        reach_[r] = add_weighted({x.a, z.a, y.a, w.a}, reach, reach_[r]);
        pull_[r] = multiply({x.b, z.b, y.b, w.b}, pull, pull_[r]);
      } else {
        const float x = far_weight(r2.x, mass.x, potential.x), z = far_weight(r2.z, mass.x, potential.y),
                    y = far_weight(r2.y, mass.y, potential.x), w = far_weight(r2.w, mass.y, potential.y);
        reach_[r] = add_weighted({x, z, y, w}, reach, reach_[r]);
      }
    }
  }

  __device__ static float4 add_weighted(float4 a, float2 reach, float4 sum) {
    const float4 high{leading_bits(a.x), leading_bits(a.y), leading_bits(a.z), leading_bits(a.w)};
    const float4 low{a.x - high.x, a.y - high.y, a.z - high.z, a.w - high.w};
    return multiply(high, reach, multiply(low, reach, sum));
  }

  /// Component lane % 4 of what a half of a row has summed: of the pull, or (3) the potential.
  __device__ float component(unsigned r, unsigned half) {
    const unsigned k = threadIdx.x % 4;
    const auto of_lane = [](float value, int lane) { return __shfl_sync(~0U, value, lane, 4); };
    const float even = total(r, 2 * half), odd = total(r, 2 * half + 1);
    float potential = total(r, 8 + half);
    potential += __shfl_xor_sync(~0U, potential, 1);
    potential += __shfl_xor_sync(~0U, potential, 2);
    const float weight = of_lane(even, 3);
    float pull = 0;
    SecondMoment<float> q{};
    if constexpr (quadrupole) {
      pull = total(r, 4 + 2 * half);
      const float moment = total(r, 5 + 2 * half);
      q = {of_lane(moment, 0), of_lane(moment, 2), of_lane(pull, 3), of_lane(moment, 1), of_lane(moment, 3), 0};
    }
    const float result = far_pull(k, targets_.position(r, half), even + odd, weight, pull, q);
    return k < 3 ? result : potential;
  }

  __device__ void flush() {
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      add_total(r, 0, reach_[r]);
      if constexpr (quadrupole) add_total(r, 4, pull_[r]);
      total(r, 8) += potential_[r].x;
      total(r, 9) += potential_[r].y;
      clear(r);
    }
    pending_ = 0;
  }

  __device__ void add_total(unsigned row, unsigned n, float4 sum) {
    total(row, n) += sum.x;
    total(row, n + 1) += sum.y;
    total(row, n + 2) += sum.z;
    total(row, n + 3) += sum.w;
  }

  __device__ void write(unsigned row, unsigned half, unsigned sets) {
    const unsigned i = targets_.number(row, half);
    if (i >= targets_.count) return;
    double sum = 0;
    for (unsigned s = 0; s < sets; ++s) {
      sum += static_cast<double>(memory_.total[row][half][threadIdx.x + 32 * s * targets_.width]);
    }
    const WalkLaunch& launch = targets_.launch;
    const unsigned result = targets_.walk.result_first - launch.result_base + targets_.first + i, k = threadIdx.x % 4;
    const double factor = k < 3 ? launch.gravitational_constant : -launch.gravitational_constant;
    reinterpret_cast<float*>(launch.result + result)[k] += static_cast<float>(factor * sum);
  }

  FarTargets targets_;
  FarMemory& memory_;
  float4 place_[rows], shape_[rows], reach_[rows], pull_[rows];
  float2 rest_[rows], potential_[rows];
  unsigned pending_ = 0;  ///< blocks in the sums
};

template <unsigned rows, bool quadrupole>
__device__ void evaluate(const WalkLaunch& launch, const Walk& walk, const BlockShape& shape, FarMemory& memory) {
  for (unsigned p = 0; p < shape.passes; ++p) {
    FarPass<rows, quadrupole> pass(FarTargets(launch, walk, shape, p), memory);
    for_each_far_tile<quadrupole>(launch, walk, memory.tile, [&](unsigned blocks) { pass.add(blocks, shape.sets); });
    pass.finish(shape.sets);
  }
}

/// The instance that holds shape.each rows.
template <unsigned rows, bool quadrupole>
__device__ void evaluate_at_most(const WalkLaunch& launch, const Walk& walk, const BlockShape& shape,
                                 FarMemory& memory) {
  if constexpr (rows > 1) {
    if (shape.each < rows) return evaluate_at_most<rows - 1, quadrupole>(launch, walk, shape, memory);
  }
  evaluate<rows, quadrupole>(launch, walk, shape, memory);
}

template <bool quadrupole>
__global__ void __launch_bounds__(far_threads, far_blocks) far_kernel(const WalkLaunch launch) {
  FarMemory& memory = *reinterpret_cast<FarMemory*>(far_memory);
  const Walk walk = launch.walk[blockIdx.x];
  if (walk.target_count == 0 || walk.far_count == 0) return;
  // Slots of a row with quadrupoles and a block of 8 cells.
  const BlockShape shape = cheapest_shape<far_warps, most_far_rows>(rows_of(walk), {51, 12, 8});
  evaluate_at_most<most_far_rows, quadrupole>(launch, walk, shape, memory);
}

}  // namespace

void prepare_far_cells() {
  for (const auto kernel : {far_kernel<true>, far_kernel<false>}) {
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(FarMemory)),
               "cudaFuncSetAttribute");
  }
}

void launch_far_cells(const WalkLaunch& launch, cudaStream_t stream) {
  if (launch.walk_count == 0) return;
  const auto kernel = launch.quadrupole ? far_kernel<true> : far_kernel<false>;
  kernel<<<launch.walk_count, far_threads, sizeof(FarMemory), stream>>>(launch);
  check_cuda(cudaGetLastError(), "far_kernel");
}

}  // namespace multiwalk
