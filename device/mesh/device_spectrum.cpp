// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/mesh/device_spectrum.cuh"

#include <algorithm>
#include <cmath>
#include <limits>
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

MassSum added(const std::vector<MassSum>& parts) {
  MassSum all = parts.front();
  for (std::size_t p = 1; p < parts.size(); ++p) {
    all.mass += parts[p].mass;
    all.squares += parts[p].squares;
    all.least = std::min(all.least, parts[p].least);
    all.most = std::max(all.most, parts[p].most);
  }
  return all;
}

}  // namespace

std::optional<ShellSums> DeviceSpectrum::operator()(const MassPoints& points, double box_size,
                                                    const ShellOptions& options, TreeExchange* others,
                                                    const Stream& stream) {
  if (options.assignment != Assignment::pcs) return std::nullopt;
  if (options.cells < least_cells || options.cells > most_cells) return std::nullopt;
  const Masses masses = sum_all_masses(points, others, stream);
  const MassSum& all = masses.sum;
  if (!std::isfinite(all.mass) || !(all.least >= 0) || !(all.most > 0)) return std::nullopt;
  ShellSums sums{all.mass, all.squares, {}};
  bool done = find_contrasts(points, masses, std::ldexp(box_size, -options.fold), options, others, stream);
  done = on_all_ranks(done && find_modes(options, stream) && find_sums(options, sums, stream), others);
  release(stream);
  return done ? std::optional(std::move(sums)) : std::nullopt;
}

MassSum DeviceSpectrum::sum_own_masses(const MassPoints& points, const Stream& stream) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (points.count == 0) return {0, 0, std::numeric_limits<float>::infinity(), 0};
  const unsigned parts = mass_parts(points.count);
  if (!masses_.reserve(parts, stream)) return {infinity, infinity, 0, 0};
  sum_masses(points.mass, points.count, masses_.data(), stream);
  const std::vector<MassSum> part = fetch_all(masses_.data(), parts, stream);
  masses_.release(stream);
  return added(part);
}

DeviceSpectrum::Masses DeviceSpectrum::sum_all_masses(const MassPoints& points, TreeExchange* others,
                                                      const Stream& stream) {
  Masses all;
  std::vector<MassSum> of_rank;
  for (const Masses& one : of_all_ranks(Masses{sum_own_masses(points, stream), points.count}, others)) {
    of_rank.push_back(one.sum);
    all.count += one.count;
  }
  all.sum = added(of_rank);
  return all;
}

bool DeviceSpectrum::find_contrasts(const MassPoints& points, const Masses& masses, double side,
                                    const ShellOptions& options, TreeExchange* others, const Stream& stream) {
  const std::uint32_t cells = options.cells;
  const std::size_t lines = std::size_t{cells} * cells, pitch = 2 * (std::size_t{cells} / 2 + 1);
  const std::size_t meshes = options.interlacing ? 2 : 1, size = lines * pitch;
  bool ready = order_.make(points, side, cells, stream);
  for (std::size_t m = 0; m < meshes; ++m) ready = ready && mesh_[m].reserve(size, stream);
  if (!on_all_ranks(ready, others) || (others != nullptr && !over_ranks_->prepare(*others))) return false;
  const double of_mass = counts_of_mass(masses.sum.most, masses.count);
  const double mean = masses.sum.mass * of_mass / (static_cast<double>(lines) * cells);
  for (std::size_t m = 0; m < meshes; ++m) {
    unsigned long long* const counts = mesh_[m].data();
    check_cuda(cudaMemsetAsync(counts, 0, size * sizeof *counts, stream.get()), "cudaMemsetAsync");
    deposit(order_.view(), {side, cells, 0.5 * static_cast<double>(m)}, of_mass, {counts, pitch}, stream);
    if (others != nullptr) over_ranks_->add_up(counts, size, *others, stream);
    contrast_in_place(counts, cells, mean, stream);
  }
  order_.release(stream);
  return true;
}

bool DeviceSpectrum::find_modes(const ShellOptions& options, const Stream& stream) {
  const std::uint32_t cells = options.cells;
  if (!transform_ || transform_->cells() != cells) transform_ = std::make_unique<FineTransform>(cells);
  if (!work_.reserve(transform_->work_bytes(), stream)) return false;
  for (std::size_t m = 0; m < (options.interlacing ? 2U : 1U); ++m) {
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
