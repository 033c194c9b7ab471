// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/mesh/device_mesh.cuh"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "host/mesh/long_range_factors.hpp"

namespace multiwalk {

namespace {

/// Masses in whole numbers, so that sums do not depend on their order.
struct MassCounts {
  double of_mass = 1;  ///< counts per unit of mass, a power of two
  double total = 0;    ///< counts of all
};

/// 0 if one is not finite.
float heaviest_of(std::span<const float> mass) {
  float most = 0;
  bool finite = true;
#pragma omp parallel for schedule(static) reduction(max : most) reduction(&& : finite)
  for (const float m : mass) {
    most = std::max(most, m);
    finite = finite && std::isfinite(m);
  }
  return finite ? most : 0;
}

MassCounts count_masses(std::span<const float> mass, float heaviest) {
  constexpr double room = 0x1p61;
  const double most = static_cast<double>(heaviest) * static_cast<double>(mass.size());
  MassCounts counts;
  counts.of_mass = std::exp2(std::floor(std::log2(room / most)));
  unsigned long long total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
  for (const float m : mass) total += static_cast<unsigned long long>(counts.of_mass * static_cast<double>(m));
  counts.total = static_cast<double>(total);
  return counts;
}

template <class T>
void copy_async(T* to, const T* from, std::size_t n, cudaMemcpyKind kind, const Stream& stream) {
  check_cuda(cudaMemcpyAsync(to, from, n * sizeof(T), kind, stream.get()), "cudaMemcpyAsync");
}

}  // namespace

DeviceMesh::DeviceMesh(DeviceMemory& memory)
    : position_(memory),
      mass_(memory),
      acceleration_(memory),
      potential_(memory),
      counts_(memory),
      modes_(memory),
      field_(memory),
      factor_(memory),
      work_(memory) {}

bool DeviceMesh::operator()(ParticleStore& particles, const PairLaw& law, const MeshForceOptions& options,
                            const Stream& stream) {
  const float heaviest = heaviest_of(particles.mass);
  if (options.assignment != Assignment::pcs || !(heaviest > 0)) return false;
  if (!transform_ || transform_->cells() != options.cells) transform_ = std::make_unique<MeshTransform>(options.cells);
  const MassCounts counts = count_masses(particles.mass, heaviest);
  const double mean_density = counts.total / counts.of_mass / std::pow(law.box_size, 3);
  const bool done = bring_particles(particles, stream) &&
                    find_potential(law, options, counts.of_mass, counts.total, stream) &&
                    find_forces(law, options, mean_density, stream);
  if (done) add_results(particles, stream);
  release(stream);
  check_cuda(cudaStreamSynchronize(stream.get()), "the mesh force");
  return done;
}

bool DeviceMesh::bring_particles(const ParticleStore& particles, const Stream& stream) {
  particles_ = particles.size();
  if (!position_.reserve(particles_, stream) || !mass_.reserve(particles_, stream)) return false;
  copy_async(position_.data(), particles.position.data(), particles_, cudaMemcpyHostToDevice, stream);
  copy_async(mass_.data(), particles.mass.data(), particles_, cudaMemcpyHostToDevice, stream);
  return true;
}

bool DeviceMesh::find_modes(const PairLaw& law, double shift, double counts, double total, DeviceBuffer<float>& mesh,
                            const Stream& stream) {
  const std::uint32_t cells = transform_->cells();
  const std::size_t points = std::size_t{cells} * cells * cells;
  if (!counts_.reserve(points, stream)) return false;
  check_cuda(cudaMemsetAsync(counts_.data(), 0, points * sizeof(*counts_.data()), stream.get()), "cudaMemsetAsync");
  deposit(particles_there(), {law.box_size, cells, shift}, counts, counts_.data(), stream);
  if (!mesh.reserve(transform_->size(), stream)) return false;
  contrast(counts_.data(), cells, total / static_cast<double>(points), mesh.data(), stream);
  counts_.release(stream);
  if (!work_.reserve(transform_->work_bytes(), stream)) return false;
  transform_->to_modes(mesh.data(), work_.data(), stream);
  work_.release(stream);
  return true;
}

bool DeviceMesh::find_potential(const PairLaw& law, const MeshForceOptions& options, double counts, double total,
                                const Stream& stream) {
  const std::uint32_t cells = options.cells;
  if (!find_modes(law, 0, counts, total, modes_, stream)) return false;
  if (options.interlacing) {
    if (!find_modes(law, 0.5, counts, total, field_, stream)) return false;
    interlace(modes_.data(), field_.data(), cells, stream);
  }
  const std::vector<double> factors = long_range_factors(options, law.box_size);
  const std::vector<float> factor(factors.begin(), factors.end());
  if (!factor_.reserve(factor.size(), stream)) return false;
  copy_async(factor_.data(), factor.data(), factor.size(), cudaMemcpyHostToDevice, stream);
  const double fundamental = 2 * std::numbers::pi / law.box_size;
  const double points = std::pow(cells, 3), density = total / counts / std::pow(law.box_size, 3);
  const double source = -4 * std::numbers::pi * law.gravitational_constant * density / (fundamental * fundamental);
  filter(modes_.data(), cells, factor_.data(), static_cast<float>(source / points), stream);
  check_cuda(cudaStreamSynchronize(stream.get()), "the mesh's potential");  // `factor` was read
  return true;
}

bool DeviceMesh::find_forces(const PairLaw& law, const MeshForceOptions& options, double mean_density,
                             const Stream& stream) {
  if (!field_.reserve(transform_->size(), stream) || !work_.reserve(transform_->work_bytes(), stream) ||
      !acceleration_.reserve(3 * particles_, stream) || !potential_.reserve(particles_, stream)) {
    return false;
  }
  const auto fundamental = static_cast<float>(2 * std::numbers::pi / law.box_size);
  const PotentialConstants constant = potential_constants(law.gravitational_constant, law.split.scale, mean_density);
  check_cuda(cudaMemsetAsync(acceleration_.data(), 0, 3 * particles_ * sizeof(float), stream.get()), "cudaMemsetAsync");
  set_constants(mass_.data(), particles_, constant.own, constant.everywhere, potential_.data(), stream);
  const int meshes = options.interlacing ? 2 : 1;
  for (int mesh = 0; mesh < meshes; ++mesh) {
    for (int axis = 0; axis < 4; ++axis) {
      differentiate(modes_.data(), options.cells, {axis, fundamental, mesh == 1}, field_.data(), stream);
      transform_->to_values(field_.data(), work_.data(), stream);
      const Column result = axis < 3 ? Column{acceleration_.data() + axis, 3} : Column{potential_.data(), 1};
      interpolate(particles_there(), {law.box_size, options.cells, 0.5 * mesh}, field_.data(),
                  1.0F / static_cast<float>(meshes), result, stream);
    }
  }
  return true;
}

void DeviceMesh::add_results(ParticleStore& particles, const Stream& stream) {
  constexpr std::size_t most = std::size_t{1} << 20;
  const std::size_t pieces = (particles_ + most - 1) / most;
  const auto fetch = [&](std::size_t p) {
    Piece& piece = piece_[p % piece_.size()];
    const std::size_t first = p * most, count = std::min(most, particles_ - first);
    copy_async(&piece.acceleration.reserve(most)->x, acceleration_.data() + 3 * first, 3 * count,
               cudaMemcpyDeviceToHost, stream);
    copy_async(piece.potential.reserve(most), potential_.data() + first, count, cudaMemcpyDeviceToHost, stream);
    piece.there.record(stream);
  };
  if (pieces > 0) fetch(0);
  for (std::size_t p = 0; p < pieces; ++p) {
    if (p + 1 < pieces) fetch(p + 1);
    const Piece& piece = piece_[p % piece_.size()];
    piece.there.synchronize();
    const std::size_t first = p * most, count = std::min(most, particles_ - first);
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < count; ++i) {
      particles.acceleration[first + i] += piece.acceleration.data()[i];
      particles.potential[first + i] += piece.potential.data()[i];
    }
  }
}

void DeviceMesh::release(const Stream& stream) {
  position_.release(stream);
  for (auto* buffer : {&mass_, &acceleration_, &potential_, &modes_, &field_, &factor_}) buffer->release(stream);
  counts_.release(stream);
  work_.release(stream);
}

}  // namespace multiwalk
