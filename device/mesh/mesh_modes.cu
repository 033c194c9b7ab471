// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "device/mesh/mesh_kernels.cuh"
#include "device/mesh/wavenumber.cuh"

namespace multiwalk {

namespace {

constexpr unsigned mode_threads = 128;

/// A block for each line along z, whose points its threads share.
dim3 lines_of(std::uint32_t cells) {
  return {cells, cells};
}
__device__ std::size_t own_line(std::uint32_t cells) {
  return std::size_t{blockIdx.y} * cells + blockIdx.x;
}

/// Calls act(n_x, n_y, n_z, place) for the modes of the block's line.
template <class Act>
__device__ void for_each_mode(std::uint32_t cells, const Act& act) {
  const std::uint32_t half = cells / 2 + 1;
  const std::size_t line = own_line(cells) * half;
  for (std::uint32_t z = threadIdx.x; z < half; z += mode_threads) {
    act(wavenumber(blockIdx.y, cells), wavenumber(blockIdx.x, cells), static_cast<int>(z), line + z);
  }
}

__device__ float2 product(float2 a, float2 b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/// exp(i pi (n_x + n_y + n_z) / N).
__device__ float2 half_cell_phase(int x, int y, int z, std::uint32_t cells) {
  float2 phase;
  sincospif(static_cast<float>(x + y + z) / static_cast<float>(cells), &phase.y, &phase.x);
  return phase;
}

/// One thread block for each line from `first` on.
__global__ void find_contrast(const unsigned long long* counts, std::uint32_t cells, double mean, std::size_t first,
                              float* mesh) {
  const std::size_t line = first + blockIdx.x, length = 2 * (cells / 2 + 1);
  // cuFFT reads the padding of lines, too.
  for (std::uint32_t z = threadIdx.x; z < length; z += mode_threads) {
    mesh[line * length + z] =
        z < cells ? static_cast<float>(static_cast<double>(counts[line * cells + z]) / mean - 1) : 0.0F;
  }
}

__global__ void interlace_modes(float2* modes, const float2* shifted, std::uint32_t cells) {
  for_each_mode(cells, [&](int x, int y, int z, std::size_t place) {
    float2 back = half_cell_phase(x, y, z, cells);
    back.y = -back.y;
    const float2 other = product(shifted[place], back), own = modes[place];
    modes[place] = {0.5F * (own.x + other.x), 0.5F * (own.y + other.y)};
  });
}

__global__ void filter_modes(float2* modes, std::uint32_t cells, const float* factor, const FilterValues more,
                             float source) {
  for_each_mode(cells, [&](int x, int y, int z, std::size_t place) {
    const auto n2 = static_cast<float>(x * x + y * y + z * z);
    const float by = n2 == 0 ? 0 : source * factor[abs(x)] * factor[abs(y)] * factor[abs(z)] * more(n2) / n2;
    modes[place] = {modes[place].x * by, modes[place].y * by};
  });
}

__global__ void differentiate_modes(const float2* potential, std::uint32_t cells, const Derivative derivative,
                                    float2* field) {
  const int axis = derivative.axis;
  for_each_mode(cells, [&](int x, int y, int z, std::size_t place) {
    float2 mode = potential[place];
    const int along = axis == 0 ? x : axis == 1 ? y : z;
    if (axis < 3) mode = product(mode, {0, -derivative.fundamental * static_cast<float>(along)});
    field[place] = derivative.shifted ? product(mode, half_cell_phase(x, y, z, cells)) : mode;
  });
}

float2* as_modes(float* mesh) {
  return reinterpret_cast<float2*>(mesh);
}
const float2* as_modes(const float* mesh) {
  return reinterpret_cast<const float2*>(mesh);
}

}  // namespace

void contrast(const unsigned long long* counts, std::uint32_t cells, double mean, float* mesh, const Stream& stream) {
  const std::size_t lines = std::size_t{cells} * cells, length = 2 * (std::size_t{cells} / 2 + 1);
  // The values of a launch end before the counts of its lines begin, so no count is overwritten before it is read.
  for (std::size_t first = 0, end = 0; first < lines; first = end) {
    end = std::min(lines, (cells * length + 2 * cells * first) / length);
    find_contrast<<<static_cast<unsigned>(end - first), mode_threads, 0, stream.get()>>>(counts, cells, mean, first,
                                                                                         mesh);
    check_cuda(cudaGetLastError(), "find_contrast");
  }
}

void interlace(float* modes, const float* shifted, std::uint32_t cells, const Stream& stream) {
  interlace_modes<<<lines_of(cells), mode_threads, 0, stream.get()>>>(as_modes(modes), as_modes(shifted), cells);
  check_cuda(cudaGetLastError(), "interlace_modes");
}

void filter(float* modes, std::uint32_t cells, const LongRangeFilter& by, const Stream& stream) {
  filter_modes<<<lines_of(cells), mode_threads, 0, stream.get()>>>(as_modes(modes), cells, by.factor, by.more,
                                                                   by.source);
  check_cuda(cudaGetLastError(), "filter_modes");
}

void differentiate(const float* potential, std::uint32_t cells, const Derivative& derivative, float* field,
                   const Stream& stream) {
  differentiate_modes<<<lines_of(cells), mode_threads, 0, stream.get()>>>(as_modes(potential), cells, derivative,
                                                                          as_modes(field));
  check_cuda(cudaGetLastError(), "differentiate_modes");
}

}  // namespace multiwalk
