// SPDX-License-Identifier: GPL-3.0-or-later
#include <cub/block/block_reduce.cuh>

#include "device/base/blocks_for.cuh"
#include "device/particles/convert_numbers.cuh"

namespace multiwalk {

namespace {

constexpr unsigned convert_threads = 256;

struct AddParts {
  __device__ ConvertedPart operator()(const ConvertedPart& a, const ConvertedPart& b) const {
    return {a.sum + b.sum, fmax(a.most, b.most), a.wrong + b.wrong};
  }
};

template <class To>
__global__ void convert_kernel(NumberArray from, double factor, bool masses, To* to, ConvertedPart* part) {
  using Reduce = cub::BlockReduce<ConvertedPart, convert_threads>;
  __shared__ typename Reduce::TempStorage storage;
  ConvertedPart mine;
  const std::size_t n = from.size();
  for (std::size_t i = std::size_t{blockIdx.x} * convert_threads + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * convert_threads) {
    const double value = from[i];
    const bool usable = fabs(value) <= largest_number && !(masses && value < 0);
    mine = AddParts{}(mine, {value, value, usable ? 0 : 1});
    to[i] = static_cast<To>(factor * value);
  }
  const ConvertedPart all = Reduce(storage).Reduce(mine, AddParts{});
  if (threadIdx.x == 0) part[blockIdx.x] = all;
}

template <class To>
void launch_convert(const NumberArray& from, double factor, bool masses, To* to, ConvertedPart* part,
                    const Stream& stream) {
  convert_kernel<<<convert_parts, convert_threads, 0, stream.get()>>>(from, factor, masses, to, part);
  check_cuda(cudaGetLastError(), "convert_kernel");
}

/// ConvertedResults with the types of its arrays.
template <class Point, class Number>
struct TypedResults {
  const Vec3f* acceleration;
  const float* potential;
  double pull, energy;
  std::size_t n;
  Point* to_acceleration;
  Number* to_potential;
  int* wrong;
};

template <class Point, class Number>
__global__ void results_kernel(TypedResults<Point, Number> results) {
  const std::size_t i = std::size_t{blockIdx.x} * convert_threads + threadIdx.x;
  if (i >= results.n) return;
  const Vec3f p = results.acceleration[i];
  const Point a{static_cast<Number>(results.pull * static_cast<double>(p.x)),
                static_cast<Number>(results.pull * static_cast<double>(p.y)),
                static_cast<Number>(results.pull * static_cast<double>(p.z))};
  const auto phi = static_cast<Number>(results.energy * static_cast<double>(results.potential[i]));
  results.to_acceleration[i] = a;
  results.to_potential[i] = phi;
  const double sum = static_cast<double>(a.x) + static_cast<double>(a.y) + static_cast<double>(a.z);
  if (!isfinite(sum) || !isfinite(phi)) *results.wrong = 1;
}

}  // namespace

void convert_numbers(const NumberArray& from, double factor, bool masses, double* to, ConvertedPart* part,
                     const Stream& stream) {
  launch_convert(from, factor, masses, to, part, stream);
}
void convert_numbers(const NumberArray& from, double factor, bool masses, float* to, ConvertedPart* part,
                     const Stream& stream) {
  launch_convert(from, factor, masses, to, part, stream);
}

void convert_results(const ConvertedResults& results, int* wrong, const Stream& stream) {
  const std::size_t n = results.to.size();
  results.to.with_type([&]<class Point, class Number>(Point* acceleration, Number* potential) {
    results_kernel<<<blocks_for(n, convert_threads), convert_threads, 0, stream.get()>>>(TypedResults<Point, Number>{
        results.acceleration, results.potential, results.pull, results.energy, n, acceleration, potential, wrong});
  });
  check_cuda(cudaGetLastError(), "results_kernel");
}

}  // namespace multiwalk
