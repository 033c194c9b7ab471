// SPDX-License-Identifier: GPL-3.0-or-later
// In a box the Ewald sum (Hernquist, Bouchet & Suto 1991) with a split so short that the nearest image alone has a near
// part; the far part comes from the sources' structure factors, which all targets share:
//   a(x) = sum_j m_j d [R^-3 - l(R)] + sum_h (2 h/h^2) exp(-pi^2 h^2/alpha^2) W(h) Im[S(h) exp(-2 pi i h.x)],
//   R^2 = d^2 + eps^2,  l(R) = [erf(alpha R) - 2 alpha R/sqrt(pi) exp(-alpha^2 R^2)]/R^3,  S(h) = sum_j m_j exp(2 pi i
//   h.x_j),  L = 1,  W: softened_wave.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "device/base/blocks_for.cuh"
#include "device/direct/exact_pulls.cuh"
#include "host/gravity/softened_wave.hpp"

namespace multiwalk {

namespace {

constexpr double alpha = 9;                   // erfc(alpha/2) = 2e-10
constexpr int waves = 14;                     // largest component: exp(-(pi 15/9)^2) = 1e-12
constexpr int lines = 2 * waves + 1;          // values of hy, and of hz
constexpr int columns = (waves + 1) * lines;  // of hx >= 0 and hy
constexpr int modes = columns * lines;
constexpr unsigned pair_threads = 128, wave_threads = 224;
constexpr unsigned slabs = 256;     // parts of a piece of sources, summed apart and added in their order
constexpr unsigned wave_tile = 16;  // sources whose phases are in shared memory together
constexpr std::size_t piece = std::size_t{1} << 21;  // sources on the device at a time

struct PullSources {
  const Vec3d* position;
  const float* mass;
  unsigned count;
};
struct PullTargets {
  const Vec3d* position;
  unsigned count;
};

struct Slab {
  unsigned begin, end;
};

__device__ Slab slab_of(unsigned slab, unsigned count) {
  const unsigned each = (count + slabs - 1) / slabs;
  return {min(slab * each, count), min((slab + 1) * each, count)};
}

/// What is left of the nearest image's pull, for a box of side 1; or, `periodic` false, the whole pull.
template <bool periodic>
__device__ double pair_weight(double r2, double softening2) {
  const double R2 = r2 + softening2;
  const double ri = R2 > 0 ? rsqrt(R2) : 0;
  if constexpr (!periodic) return ri * ri * ri;
  constexpr double root_pi = 1.7724538509055160273;
  constexpr double near_zero = 1e-8;
  if (R2 < near_zero) return ri * ri * ri - 4 * alpha * alpha * alpha / (3 * root_pi);
  const double R = sqrt(R2), x = alpha * R;
  return ri * ri * ri - (erf(x) - 2 / root_pi * x * exp(-x * x)) / (R2 * R);
}

/// A thread per target, a block row per slab; part (slabs, targets).
template <bool periodic>
__global__ void __launch_bounds__(pair_threads) pull_kernel(const PullSources source, const PullTargets target,
                                                            double inverse_side, double softening2, Vec3d* part) {
  __shared__ Vec3d place[pair_threads];
  __shared__ double weight[pair_threads];
  const unsigned t = blockIdx.x * pair_threads + threadIdx.x;
  const Vec3d x = target.position[min(t, target.count - 1)];
  const Slab slab = slab_of(blockIdx.y, source.count);
  Vec3d sum{0, 0, 0};
  for (unsigned first = slab.begin; first < slab.end; first += pair_threads) {
    const unsigned here = min(pair_threads, slab.end - first);
    __syncthreads();
    if (threadIdx.x < here) {
      place[threadIdx.x] = source.position[first + threadIdx.x];
      weight[threadIdx.x] = static_cast<double>(source.mass[first + threadIdx.x]);
    }
    __syncthreads();
    for (unsigned s = 0; s < here; ++s) {
      Vec3d d = inverse_side * (place[s] - x);
      if constexpr (periodic) d = {d.x - rint(d.x), d.y - rint(d.y), d.z - rint(d.z)};
      const double w = weight[s] * pair_weight<periodic>(d.x * d.x + d.y * d.y + d.z * d.z, softening2);
      sum = sum + w * d;
    }
  }
  if (t < target.count) part[std::size_t{blockIdx.y} * target.count + t] = sum;
}

__device__ double2 times(double2 a, double2 b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/// exp(2 pi i h x)
__device__ double2 phase(int h, double x) {
  double2 value;
  sincospi(2 * (h * x), &value.y, &value.x);
  return value;
}

/// A thread per column (hx, hy), which keeps all hz; a block row per slab; part (slabs, columns, lines).
__global__ void __launch_bounds__(wave_threads)
    wave_kernel(const PullSources source, double inverse_side, double2* part) {
  __shared__ double2 along_x[wave_tile][waves + 1], along_y[wave_tile][lines], along_z[wave_tile][lines];
  const unsigned column = blockIdx.x * wave_threads + threadIdx.x;
  const unsigned hx = min(column / lines, static_cast<unsigned>(waves)), hy = column % lines;
  const Slab slab = slab_of(blockIdx.y, source.count);
  double2 sum[lines];
#pragma unroll
  for (int z = 0; z < lines; ++z) sum[z] = {0, 0};
  for (unsigned first = slab.begin; first < slab.end; first += wave_tile) {
    const unsigned here = min(wave_tile, slab.end - first);
    __syncthreads();
    for (unsigned k = threadIdx.x; k < here * lines; k += wave_threads) {
      const unsigned s = k / lines;
      const int h = static_cast<int>(k % lines);
      const Vec3d x = inverse_side * source.position[first + s];
      if (h <= waves) {
        const double2 wave = phase(h, x.x);
        const double m = static_cast<double>(source.mass[first + s]);
        along_x[s][h] = {m * wave.x, m * wave.y};
      }
      along_y[s][h] = phase(h - waves, x.y);
      along_z[s][h] = phase(h - waves, x.z);
    }
    __syncthreads();
    for (unsigned s = 0; s < here; ++s) {
      const double2 plane = times(along_x[s][hx], along_y[s][hy]);
#pragma unroll
      for (int z = 0; z < lines; ++z) {
        const double2 line = along_z[s][z];
        sum[z].x += plane.x * line.x - plane.y * line.y;
        sum[z].y += plane.x * line.y + plane.y * line.x;
      }
    }
  }
  if (column >= columns) return;
#pragma unroll
  for (int z = 0; z < lines; ++z) part[(std::size_t{blockIdx.y} * columns + column) * lines + z] = sum[z];
}

/// Adds the slabs' parts (slabs, count) to totals (count), in the order of the slabs.
__global__ void add_slabs_kernel(const double* part, unsigned count, double* total) {
  const unsigned i = blockIdx.x * pair_threads + threadIdx.x;
  if (i >= count) return;
  double sum = total[i];
  for (unsigned slab = 0; slab < slabs; ++slab) sum += part[std::size_t{slab} * count + i];
  total[i] = sum;
}

struct Arrays {
  DeviceBuffer<Vec3d> position, target;
  DeviceBuffer<float> mass;
  DeviceBuffer<double> part, total, wave_part, wave_total;

  explicit Arrays(DeviceMemory& memory)
      : position(memory),
        target(memory),
        mass(memory),
        part(memory),
        total(memory),
        wave_part(memory),
        wave_total(memory) {}

  [[nodiscard]] bool reserve(std::size_t sources, std::size_t targets, bool periodic, const Stream& stream) {
    return position.reserve(sources, stream) && mass.reserve(sources, stream) && target.reserve(targets, stream) &&
           part.reserve(3 * slabs * targets, stream) && total.reserve(3 * targets, stream) &&
           (!periodic || (wave_part.reserve(std::size_t{2} * slabs * modes, stream) &&
                          wave_total.reserve(std::size_t{2} * modes, stream)));
  }
};

template <class T>
void copy(T* to, const T* from, std::size_t count, cudaMemcpyKind kind, const Stream& stream) {
  check_cuda(cudaMemcpyAsync(to, from, count * sizeof(T), kind, stream.get()), "cudaMemcpyAsync");
}

void add_slabs(const DeviceBuffer<double>& part, std::size_t count, const DeviceBuffer<double>& total,
               const Stream& stream) {
  add_slabs_kernel<<<blocks_for(count, pair_threads), pair_threads, 0, stream.get()>>>(
      part.data(), static_cast<unsigned>(count), total.data());
  check_cuda(cudaGetLastError(), "add_slabs_kernel");
}

void add_piece(const Arrays& arrays, std::size_t sources, std::size_t targets, const PairLaw& law,
               const Stream& stream) {
  const bool periodic = law.box_size > 0;
  const double scale = periodic ? 1 / law.box_size : 1;
  const double softening = law.softening * scale;
  const PullSources source{arrays.position.data(), arrays.mass.data(), static_cast<unsigned>(sources)};
  const PullTargets target{arrays.target.data(), static_cast<unsigned>(targets)};
  const dim3 grid(blocks_for(targets, pair_threads), slabs);
  const auto kernel = periodic ? pull_kernel<true> : pull_kernel<false>;
  kernel<<<grid, pair_threads, 0, stream.get()>>>(source, target, scale, softening * softening,
                                                  reinterpret_cast<Vec3d*>(arrays.part.data()));
  check_cuda(cudaGetLastError(), "pull_kernel");
  add_slabs(arrays.part, 3 * targets, arrays.total, stream);
  if (!periodic) return;
  const dim3 wave_grid(blocks_for(columns, wave_threads), slabs);
  wave_kernel<<<wave_grid, wave_threads, 0, stream.get()>>>(source, scale,
                                                            reinterpret_cast<double2*>(arrays.wave_part.data()));
  check_cuda(cudaGetLastError(), "wave_kernel");
  add_slabs(arrays.wave_part, 2 * modes, arrays.wave_total, stream);
}

/// (waves^2 + 1) 2/h^2 exp(-pi^2 h^2/alpha^2) W(h), by h^2. `softening` in units of the box.
std::vector<double> wave_weights(double softening) {
  std::vector<double> weight(waves * waves + 1);
  for (int h2 = 1; h2 <= waves * waves; ++h2) {
    const double wave2 = std::numbers::pi * std::numbers::pi * h2, near = wave2 / (alpha * alpha);
    weight[static_cast<std::size_t>(h2)] =
        2.0 / h2 * std::exp(-near) * softened_wave(near, 4 * wave2 * softening * softening);
  }
  return weight;
}

/// The far part at x, in units of the box. `factor` (columns, lines, 2): S(h).
Vec3d far_pull(const std::vector<double>& factor, const std::vector<double>& weights, Vec3d x) {
  constexpr double pi = std::numbers::pi;
  Vec3d sum{0, 0, 0};
  for (int column = 0; column < columns; ++column) {
    const int hx = column / lines, hy = column % lines - waves;
    for (int z = 0; z < lines; ++z) {
      const int hz = z - waves;
      const int h2 = hx * hx + hy * hy + hz * hz;
      if (h2 == 0 || h2 > waves * waves) continue;
      const double turn = 2 * pi * (hx * x.x + hy * x.y + hz * x.z);
      const std::size_t i = 2 * (static_cast<std::size_t>(column) * lines + static_cast<std::size_t>(z));
      const double part = factor[i + 1] * std::cos(turn) - factor[i] * std::sin(turn);
      const double twice = hx > 0 ? 2 : 1;  // -h gives the same
      const double weight = twice * weights[static_cast<std::size_t>(h2)] * part;
      sum = sum + weight * Vec3d{static_cast<double>(hx), static_cast<double>(hy), static_cast<double>(hz)};
    }
  }
  return sum;
}

}  // namespace

bool add_exact_pulls(DeviceMemory& memory, std::span<const Vec3d> position, std::span<const float> mass,
                     std::span<const Vec3d> targets, const PairLaw& law, std::span<Vec3d> sums) {
  if (targets.empty() || position.empty()) return true;
  memory.make_current();
  const Stream stream;
  const bool periodic = law.box_size > 0;
  const std::size_t most = std::min(piece, position.size());
  Arrays arrays(memory);
  if (!arrays.reserve(most, targets.size(), periodic, stream)) return false;
  copy(arrays.target.data(), targets.data(), targets.size(), cudaMemcpyHostToDevice, stream);
  check_cuda(cudaMemsetAsync(arrays.total.data(), 0, 3 * targets.size() * sizeof(double), stream.get()), "cudaMemset");
  if (periodic) {
    check_cuda(cudaMemsetAsync(arrays.wave_total.data(), 0, std::size_t{2} * modes * sizeof(double), stream.get()),
               "cudaMemset");
  }
  for (std::size_t first = 0; first < position.size(); first += most) {
    const std::size_t count = std::min(most, position.size() - first);
    copy(arrays.position.data(), position.data() + first, count, cudaMemcpyHostToDevice, stream);
    copy(arrays.mass.data(), mass.data() + first, count, cudaMemcpyHostToDevice, stream);
    add_piece(arrays, count, targets.size(), law, stream);
  }
  std::vector<Vec3d> near(targets.size());
  std::vector<double> factor(periodic ? std::size_t{2} * modes : 0);
  copy(reinterpret_cast<double*>(near.data()), arrays.total.data(), 3 * near.size(), cudaMemcpyDeviceToHost, stream);
  if (periodic) copy(factor.data(), arrays.wave_total.data(), factor.size(), cudaMemcpyDeviceToHost, stream);
  check_cuda(cudaStreamSynchronize(stream.get()), "summing the pulls of a sample");
  const double scale = periodic ? 1 / law.box_size : 1;
  const std::vector<double> weights = wave_weights(scale * law.softening);
#pragma omp parallel for schedule(static)
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const Vec3d pull = periodic ? near[t] + far_pull(factor, weights, scale * targets[t]) : near[t];
    sums[t] = sums[t] + scale * scale * pull;
  }
  return true;
}

}  // namespace multiwalk
