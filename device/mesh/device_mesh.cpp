// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/mesh/device_mesh.cuh"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "host/gravity/pair_strength.hpp"
#include "host/mesh/long_range_factors.hpp"
#include "host/mesh/split_filter.hpp"

namespace multiwalk {

namespace {

template <class T>
void copy_async(T* to, const T* from, std::size_t n, cudaMemcpyKind kind, const Stream& stream) {
  check_cuda(cudaMemcpyAsync(to, from, n * sizeof(T), kind, stream.get()), "cudaMemcpyAsync");
}

/// Where the values of one field go: an axis of the acceleration, or the potential (axis 3).
FieldResult result_of(const MeshResults& results, int axis) {
  FieldResult result;
  if (axis == 3) {
    result.sum = results.potential;
    return result;
  }
  result.sum = &results.acceleration->x + axis;
  if (results.long_range != nullptr) result.change = &results.long_range->x + axis;
  result.stride = 3;
  return result;
}

}  // namespace

DeviceMesh::DeviceMesh(DeviceMemory& memory)
    : position_(memory),
      mass_(memory),
      potential_(memory),
      acceleration_(memory),
      order_(memory),
      sum_(memory),
      meshes_(memory),
      factor_(memory),
      first_mesh_(memory),
      work_(memory),
      over_ranks_(memory) {}

bool DeviceMesh::operator()(ParticleStore& particles, const PairLaw& law, const MeshForceOptions& options,
                            TreeExchange* others, const Stream& stream) {
  const bool done = on_all_ranks(bring_particles(particles, stream), others) &&
                    add({position_.data(), mass_.data(), particles.size()}, law, options,
                        {acceleration_.data(), potential_.data(), nullptr}, others, stream);
  if (done) add_results(particles, stream);
  release_particles(stream);
  check_cuda(cudaStreamSynchronize(stream.get()), "the mesh force");
  return done;
}

bool DeviceMesh::add(const MassPoints& points, const PairLaw& law, const MeshForceOptions& options,
                     const MeshResults& results, TreeExchange* others, const Stream& stream) {
  if (!handles(options)) return false;
  if (!transform_ || transform_->cells() != options.cells) transform_ = std::make_unique<MeshTransform>(options.cells);
  bool ready = count_masses(points, others, stream);
  if (ready) {
    const bool room = order_.make(points, law.box_size, options.cells, stream) && reserve(options, stream);
    ready = on_all_ranks(room, others) && (others == nullptr || over_ranks_.prepare(*others));
  }
  if (ready) {
    find_potential(law, options, others, stream);
    find_forces(law, options, results, stream);
  }
  release_mesh(stream);
  return ready;
}

bool DeviceMesh::reserve(const MeshForceOptions& options, const Stream& stream) {
  const std::size_t meshes = options.interlacing ? 2 : 1;
  return meshes_.reserve((1 + meshes) * transform_->size(), stream) &&
         work_.reserve(transform_->work_bytes(), stream) &&
         factor_.reserve(FilterValues::size + options.cells / 2 + 1, stream) &&
         (meshes == 1 || first_mesh_.reserve(order_.view().points.count, stream));
}

bool DeviceMesh::bring_particles(const ParticleStore& particles, const Stream& stream) {
  const std::size_t n = particles.size();
  if (!position_.reserve(n, stream) || !mass_.reserve(n, stream) || !acceleration_.reserve(n, stream) ||
      !potential_.reserve(n, stream)) {
    return false;
  }
  copy_async(position_.data(), particles.position.data(), n, cudaMemcpyHostToDevice, stream);
  copy_async(mass_.data(), particles.mass.data(), n, cudaMemcpyHostToDevice, stream);
  check_cuda(cudaMemsetAsync(acceleration_.data(), 0, n * sizeof(Vec3f), stream.get()), "cudaMemsetAsync");
  check_cuda(cudaMemsetAsync(potential_.data(), 0, n * sizeof(float), stream.get()), "cudaMemsetAsync");
  return true;
}

bool DeviceMesh::count_masses(const MassPoints& points, TreeExchange* others, const Stream& stream) {
  struct Part {
    std::uint64_t count;
    float heaviest;
  } mine{points.count, std::numeric_limits<float>::infinity()};
  if (sum_.reserve(1, stream)) mine.heaviest = heaviest_mass(points.mass, points.count, sum_.data(), stream);
  Part all{};
  for (const Part& part : of_all_ranks(mine, others)) {
    all.count += part.count;
    all.heaviest = std::max(all.heaviest, part.heaviest);
  }
  if (!(all.heaviest > 0) || !std::isfinite(all.heaviest)) return false;
  masses_.of_mass = counts_of_mass(all.heaviest, all.count);
  std::uint64_t total = 0;
  for (const std::uint64_t part :
       of_all_ranks(std::uint64_t{total_counts(points, masses_.of_mass, sum_.data(), stream)}, others)) {
    total += part;
  }
  masses_.total = static_cast<double>(total);
  return true;
}

void DeviceMesh::find_modes(const PairLaw& law, double shift, float* mesh, TreeExchange* others, const Stream& stream) {
  const std::uint32_t cells = transform_->cells();
  const std::size_t points = std::size_t{cells} * cells * cells, plane = transform_->size() / cells;
  auto* const counts = reinterpret_cast<unsigned long long*>(mesh + plane);
  check_cuda(cudaMemsetAsync(counts, 0, points * sizeof *counts, stream.get()), "cudaMemsetAsync");
  deposit(order_.view(), {law.box_size, cells, shift}, masses_.of_mass, {counts, cells}, stream);
  if (others != nullptr) over_ranks_.add_up(counts, points, *others, stream);
  contrast(counts, cells, masses_.total / static_cast<double>(points), mesh, stream);
  transform_->to_modes(mesh, work_.data(), stream);
}

void DeviceMesh::find_potential(const PairLaw& law, const MeshForceOptions& options, TreeExchange* others,
                                const Stream& stream) {
  const std::uint32_t cells = options.cells;
  find_modes(law, 0, modes(), others, stream);
  if (options.interlacing) {
    find_modes(law, 0.5, field(), others, stream);
    interlace(modes(), field(), cells, stream);
  }
  const ForceSplit split{options.split_scale, options.pair_cutoff};
  const SplitFilter split_filter(split, options.softening, law.box_size);
  FilterValues more = split_filter.values();
  const std::vector<double> factors = long_range_factors(options, law.box_size);
  std::vector<float> tables(more.value, more.value + FilterValues::size);
  tables.insert(tables.end(), factors.begin(), factors.end());
  copy_async(factor_.data(), tables.data(), tables.size(), cudaMemcpyHostToDevice, stream);
  more.value = factor_.data();
  const double fundamental = 2 * std::numbers::pi / law.box_size,
               strength = pair_strength() * law.gravitational_constant;
  const double points = std::pow(cells, 3), density = masses_.mass() / std::pow(law.box_size, 3);
  const double source = -4 * std::numbers::pi * strength * density / (fundamental * fundamental);
  filter(modes(), cells, {factor_.data() + FilterValues::size, more, static_cast<float>(source / points)}, stream);
  check_cuda(cudaStreamSynchronize(stream.get()), "the mesh's potential");  // `tables` were read
}

void DeviceMesh::find_forces(const PairLaw& law, const MeshForceOptions& options, const MeshResults& results,
                             const Stream& stream) {
  const int meshes = options.interlacing ? 2 : 1;
  const auto fundamental = static_cast<float>(2 * std::numbers::pi / law.box_size);
  const double mean_density = masses_.mass() / std::pow(law.box_size, 3);
  const ForceSplit split{options.split_scale, options.pair_cutoff};
  const PotentialConstants constant =
      potential_constants(pair_strength() * law.gravitational_constant, split, options.softening, mean_density);
  for (int axis = 0; axis < 4; ++axis) {
    FieldResult result = result_of(results, axis);
    result.factor = 1.0F / static_cast<float>(meshes);
    if (axis == 3) result.of_mass = constant.own, result.constant = constant.everywhere;
    for (int mesh = 0; mesh < meshes; ++mesh) {
      result.begun = mesh > 0 ? first_mesh_.data() : nullptr;
      result.unfinished = mesh + 1 < meshes ? first_mesh_.data() : nullptr;
      differentiate(modes(), options.cells, {axis, fundamental, mesh == 1}, field(), stream);
      transform_->to_values(field(), work_.data(), stream);
      interpolate(order_.view(), {law.box_size, options.cells, 0.5 * mesh}, field(), result, stream);
    }
  }
}

void DeviceMesh::add_results(ParticleStore& particles, const Stream& stream) {
  const auto add = [&](std::size_t first, std::span<const Vec3f> acceleration, std::span<const float> potential) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < acceleration.size(); ++i) {
      particles.acceleration[first + i] += acceleration[i];
      particles.potential[first + i] += potential[i];
    }
  };
  pieces_.bring(acceleration_.data(), potential_.data(), particles.size(), stream, add);
}

void DeviceMesh::release_mesh(const Stream& stream) {
  order_.release(stream);
  sum_.release(stream);
  for (auto* buffer : {&meshes_, &factor_, &first_mesh_}) buffer->release(stream);
  work_.release(stream);
}

void DeviceMesh::release_particles(const Stream& stream) {
  position_.release(stream);
  mass_.release(stream);
  acceleration_.release(stream);
  potential_.release(stream);
}

}  // namespace multiwalk
