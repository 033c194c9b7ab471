// SPDX-License-Identifier: GPL-3.0-or-later
// A thread owns some of its block's shells. Along a line of modes the members of a shell are neighbours, which the
// thread adds in their order.
#include <algorithm>
#include <cmath>
#include <cub/block/block_reduce.cuh>

#include "device/base/blocks_for.cuh"
#include "device/mesh/spectrum_kernels.cuh"
#include "device/mesh/wavenumber.cuh"

namespace multiwalk {

namespace {

constexpr unsigned mass_threads = 256, line_threads = 128;

struct AddMasses {
  __device__ MassSum operator()(const MassSum& a, const MassSum& b) const {
    return {a.mass + b.mass, a.squares + b.squares, fminf(a.least, b.least), fmaxf(a.most, b.most)};
  }
};

__global__ void __launch_bounds__(mass_threads) mass_kernel(const float* mass, std::size_t n, MassSum* part) {
  using Reduce = cub::BlockReduce<MassSum, mass_threads>;
  __shared__ typename Reduce::TempStorage storage;
  MassSum sum{0, 0, INFINITY, -INFINITY};
  const std::size_t step = std::size_t{gridDim.x} * mass_threads;
  for (std::size_t i = std::size_t{blockIdx.x} * mass_threads + threadIdx.x; i < n; i += step) {
    const double m = mass[i];
    sum = AddMasses()(sum, {m, m * m, mass[i], mass[i]});
  }
  sum = Reduce(storage).Reduce(sum, AddMasses());
  if (threadIdx.x == 0) part[blockIdx.x] = sum;
}

/// A block for each line along z.
__global__ void __launch_bounds__(line_threads)
    contrast_kernel(unsigned long long* mesh, std::uint32_t cells, double mean, double scale) {
  const std::uint32_t length = 2 * (cells / 2 + 1);
  unsigned long long* const line = mesh + (std::size_t{blockIdx.y} * cells + blockIdx.x) * length;
  for (std::uint32_t z = threadIdx.x; z < length; z += line_threads) {
    const double value = z < cells ? (static_cast<double>(line[z]) / mean - 1) * scale : 0;
    line[z] = static_cast<unsigned long long>(__double_as_longlong(value));
  }
}

/// Integers below 2^31 have square roots that are whole or far from it.
__device__ int root_rounded_down(int square) {
  return static_cast<int>(__dsqrt_rn(static_cast<double>(square)));
}
__device__ int root_rounded_up(int square) {
  const int root = root_rounded_down(square);
  return root * root < square ? root + 1 : root;
}

/// A line of modes along z, with n_x and n_y.
struct ModeLine {
  const double2* modes;
  const double2* shifted;
  int x, y, cells;

  __device__ ModeLine(const ContrastModes& of, std::uint32_t number)
      : x(wavenumber(number / of.cells, of.cells)),
        y(wavenumber(number % of.cells, of.cells)),
        cells(static_cast<int>(of.cells)) {
    const std::size_t first = std::size_t{number} * (of.cells / 2 + 1);
    modes = reinterpret_cast<const double2*>(of.modes) + first;
    shifted = of.shifted == nullptr ? nullptr : reinterpret_cast<const double2*>(of.shifted) + first;
  }
  [[nodiscard]] __device__ int across() const { return x * x + y * y; }
  /// |mode|^2; interlaced, of the mean of both meshes (Sefusatti et al. 2016, section 3).
  [[nodiscard]] __device__ double square(int z) const {
    const double2 own = modes[z];
    if (shifted == nullptr) return own.x * own.x + own.y * own.y;
    const double2 other = shifted[z];
    double sine, cosine;
    sincospi(static_cast<double>(x + y + z) / cells, &sine, &cosine);
    const double re = 0.5 * (own.x + (other.x * cosine + other.y * sine));
    const double im = 0.5 * (own.y + (other.y * cosine - other.x * sine));
    return re * re + im * im;
  }
};

/// The modes of a line with shell (shell - 1) < n^2 <= shell (shell + 1), which are those within half a wavenumber.
__device__ ShellPart sum_of_line(const ModeLine& line, const double* factor, int shell) {
  ShellPart sum{0, 0, 0};
  const int across = line.across(), highest = shell * (shell + 1) - across;
  if (highest < 0) return sum;
  const int lowest = shell * (shell - 1) + 1 - across;
  const int first = lowest > 0 ? root_rounded_up(lowest) : 0, last = root_rounded_down(highest);
  const double factor_x = factor[abs(line.x)], factor_y = factor[abs(line.y)];
  for (int z = first; z <= last; ++z) {
    const int weight = z == 0 ? 1 : 2;
    sum.power += weight * (line.square(z) * (factor_x * factor_y * factor[z]));
    sum.wavenumber += weight * __dsqrt_rn(static_cast<double>(across + z * z));
    sum.modes += static_cast<unsigned long long>(weight);
  }
  return sum;
}

__device__ void add(ShellPart& sum, const ShellPart& other) {
  sum.power += other.power;
  sum.wavenumber += other.wavenumber;
  sum.modes += other.modes;
}

/// No thread reads another one's shells.
__global__ void __launch_bounds__(line_threads)
    shell_kernel(const ContrastModes modes, const double* factor, std::uint32_t shells, ShellPart* part) {
  extern __shared__ ShellPart sums[];
  for (std::uint32_t s = 1 + threadIdx.x; s <= shells; s += line_threads) sums[s] = {0, 0, 0};
  for (std::uint32_t number = blockIdx.x; number < modes.cells * modes.cells; number += gridDim.x) {
    const ModeLine line(modes, number);
    if (line.across() > static_cast<int>(shells * (shells + 1))) continue;
    for (std::uint32_t s = 1 + threadIdx.x; s <= shells; s += line_threads) {
      add(sums[s], sum_of_line(line, factor, static_cast<int>(s)));
    }
  }
  ShellPart* const row = part + std::size_t{blockIdx.x} * (shells + 1);
  for (std::uint32_t s = 1 + threadIdx.x; s <= shells; s += line_threads) row[s] = sums[s];
}

__global__ void __launch_bounds__(line_threads) total_kernel(ShellPart* part, unsigned rows, std::uint32_t shells) {
  const std::uint32_t s = 1 + blockIdx.x * line_threads + threadIdx.x;
  if (s > shells) return;
  ShellPart sum{0, 0, 0};
  for (unsigned row = 0; row < rows; ++row) add(sum, part[std::size_t{row} * (shells + 1) + s]);
  part[std::size_t{rows} * (shells + 1) + s] = sum;
}

}  // namespace

unsigned mass_parts(std::size_t n) {
  return std::min(blocks_for(n, mass_threads), most_spectrum_blocks);
}

unsigned shell_parts(std::uint32_t cells) {
  return std::min(cells * cells, most_spectrum_blocks);
}

void sum_masses(const float* mass, std::size_t n, MassSum* part, const Stream& stream) {
  mass_kernel<<<mass_parts(n), mass_threads, 0, stream.get()>>>(mass, n, part);
  check_cuda(cudaGetLastError(), "mass_kernel");
}

void contrast_in_place(unsigned long long* mesh, std::uint32_t cells, double mean, const Stream& stream) {
  const double points = static_cast<double>(cells) * cells * cells;
  contrast_kernel<<<dim3(cells, cells), line_threads, 0, stream.get()>>>(mesh, cells, mean, 1 / points);
  check_cuda(cudaGetLastError(), "contrast_kernel");
}

void sum_shells(const ContrastModes& modes, const double* factor, std::uint32_t shells, ShellPart* part,
                const Stream& stream) {
  const unsigned rows = shell_parts(modes.cells);
  shell_kernel<<<rows, line_threads, (shells + 1) * sizeof(ShellPart), stream.get()>>>(modes, factor, shells, part);
  check_cuda(cudaGetLastError(), "shell_kernel");
  total_kernel<<<blocks_for(shells, line_threads), line_threads, 0, stream.get()>>>(part, rows, shells);
  check_cuda(cudaGetLastError(), "total_kernel");
}

}  // namespace multiwalk
