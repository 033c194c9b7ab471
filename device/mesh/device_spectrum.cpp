// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/mesh/device_spectrum.cuh"

#include <algorithm>
#include <cmath>
#include <vector>

namespace multiwalk {

namespace {

constexpr std::uint32_t least_cells = 8, most_cells = 4096;

/// Waits for the stream.
template <class T>
std::vector<T> fetch_all(const T* from, std::size_t n, const Stream& stream) {
  std::vector<T> values(n);
  check_cuda(cudaMemcpyAsync(values.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost, stream.get()),
             "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream.get()), "a power spectrum");
  return values;
}

}  // namespace

std::optional<ShellSums> DeviceSpectrum::operator()(const MassPoints& points, double box_size,
                                                    const ShellOptions& options, const Stream& stream) {
  if (options.assignment != Assignment::pcs || points.count == 0) return std::nullopt;
  if (options.cells < least_cells || options.cells > most_cells) return std::nullopt;
  const std::optional<MassSum> masses = sum_all_masses(points, stream);
  if (!masses || !std::isfinite(masses->mass) || !(masses->least >= 0) || !(masses->most > 0)) return std::nullopt;
  ShellSums sums{masses->mass, masses->squares, {}};
  const bool done = find_modes(points, *masses, std::ldexp(box_size, -options.fold), options, stream) &&
                    find_sums(options, sums, stream);
  release(stream);
  return done ? std::optional(std::move(sums)) : std::nullopt;
}

std::optional<MassSum> DeviceSpectrum::sum_all_masses(const MassPoints& points, const Stream& stream) {
  const unsigned parts = mass_parts(points.count);
  if (!masses_.reserve(parts, stream)) return std::nullopt;
  sum_masses(points.mass, points.count, masses_.data(), stream);
  const std::vector<MassSum> part = fetch_all(masses_.data(), parts, stream);
  masses_.release(stream);
  MassSum all = part.front();
  for (std::size_t p = 1; p < part.size(); ++p) {
    all.mass += part[p].mass;
    all.squares += part[p].squares;
    all.least = std::min(all.least, part[p].least);
    all.most = std::max(all.most, part[p].most);
  }
  return all;
}

bool DeviceSpectrum::find_modes(const MassPoints& points, const MassSum& masses, double side,
                                const ShellOptions& options, const Stream& stream) {
  const std::uint32_t cells = options.cells;
  if (!transform_ || transform_->cells() != cells) transform_ = std::make_unique<FineTransform>(cells);
  const std::size_t lines = std::size_t{cells} * cells, pitch = 2 * (std::size_t{cells} / 2 + 1);
  const std::size_t meshes = options.interlacing ? 2 : 1, size = lines * pitch;
  const double of_mass = counts_of_mass(masses.most, points.count);
  const double mean = masses.mass * of_mass / (static_cast<double>(lines) * cells);
  if (!order_.make(points, side, cells, stream)) return false;
  for (std::size_t m = 0; m < meshes; ++m) {
    if (!mesh_[m].reserve(size, stream)) return false;
    unsigned long long* const counts = mesh_[m].data();
    check_cuda(cudaMemsetAsync(counts, 0, size * sizeof *counts, stream.get()), "cudaMemsetAsync");
    deposit(order_.view(), {side, cells, 0.5 * static_cast<double>(m)}, of_mass, {counts, pitch}, stream);
    contrast_in_place(counts, cells, mean, stream);
  }
  order_.release(stream);
  if (!work_.reserve(transform_->work_bytes(), stream)) return false;
  for (std::size_t m = 0; m < meshes; ++m) {
    transform_->to_modes(reinterpret_cast<double*>(mesh_[m].data()), work_.data(), stream);
  }
  work_.release(stream);
  return true;
}

bool DeviceSpectrum::find_sums(const ShellOptions& options, ShellSums& sums, const Stream& stream) {
  const std::uint32_t shells = options.last_shell();
  const std::size_t rows = shell_parts(options.cells), row = shells + std::size_t{1};
  if (!factor_.reserve(options.factor.size(), stream) || !part_.reserve((rows + 1) * row, stream)) return false;
  check_cuda(cudaMemcpyAsync(factor_.data(), options.factor.data(), options.factor.size_bytes(), cudaMemcpyHostToDevice,
                             stream.get()),
             "cudaMemcpyAsync");
  const double* const shifted = options.interlacing ? reinterpret_cast<const double*>(mesh_[1].data()) : nullptr;
  sum_shells({reinterpret_cast<const double*>(mesh_[0].data()), shifted, options.cells}, factor_.data(), shells,
             part_.data(), stream);
  sums.shell.resize(1);
  for (const ShellPart& s : fetch_all(part_.data() + rows * row + 1, shells, stream)) {
    sums.shell.push_back({s.power, s.wavenumber, s.modes});
  }
  return true;
}

void DeviceSpectrum::release(const Stream& stream) {
  order_.release(stream);
  for (Mesh& mesh : mesh_) mesh.release(stream);
  work_.release(stream);
  masses_.release(stream);
  factor_.release(stream);
  part_.release(stream);
}

}  // namespace multiwalk
