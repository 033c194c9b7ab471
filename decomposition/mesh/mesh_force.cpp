// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/mesh/mesh_force.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "decomposition/mesh/density_modes.hpp"
#include "decomposition/mesh/mesh_reading.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "host/mesh/long_range_factors.hpp"
#include "host/mesh/split_filter.hpp"

namespace multiwalk {

namespace {

/// Modes of the long-range potential; `mean_density`: that of `masses` in the box.
PencilMesh potential_modes(const PeriodicParticles& particles, const MassSums& masses, double mean_density, double G,
                           const MeshForceOptions& options, const Communicator& comm) {
  const double fundamental = 2 * std::numbers::pi / particles.box_size;
  const std::vector<double> factors = long_range_factors(options, particles.box_size);
  const auto factor = [&](std::int64_t along) { return factors[static_cast<std::size_t>(std::abs(along))]; };
  const SplitFilter filter({options.split_scale, options.pair_cutoff}, options.softening, particles.box_size);
  const FilterValues more = filter.values();
  const double source = -4 * std::numbers::pi * G * mean_density / (fundamental * fundamental);
  const DensityOptions density{options.assignment, 0, 0, options.in_flight};
  PencilMesh modes = density_modes(particles, masses, options.cells, density, options.interlacing, comm);
  modes.for_each_mode([&](std::int64_t x, std::int64_t y, std::int64_t z, std::complex<double>& mode) {
    const auto n2 = static_cast<double>(x * x + y * y + z * z);
    mode *= n2 == 0 ? 0 : source * factor(x) * factor(y) * factor(z) * more(static_cast<float>(n2)) / n2;
  });
  return modes;
}

/// Sets `field` to the values of -d/dx, -d/dy, -d/dz of the potential (axis 0, 1, 2) or of the potential itself (3).
void find_field(const PencilMesh& potential, int axis, double fundamental, bool shifted, PencilMesh& field) {
  const HalfCellPhase phase(potential.cells());
  field.for_each_mode([&](std::int64_t x, std::int64_t y, std::int64_t z, std::complex<double>& mode) {
    mode = potential.mode(field.index(x), field.index(y), field.index(z));
    const std::int64_t along = axis == 0 ? x : axis == 1 ? y : z;
    if (axis < 3) mode *= std::complex<double>(0, -fundamental * static_cast<double>(along));
    if (shifted) mode *= phase(x, y, z);
  });
  field.to_values();
}

}  // namespace

void mesh_force(const PeriodicParticles& particles, double G, const MeshForceOptions& options,
                std::span<Vec3f> acceleration, std::span<float> potential, const Communicator& comm) {
  if (!(options.split_scale > 0)) throw SharedError("a mesh force needs a scale of the split above 0");
  require(acceleration.size() == particles.position.size(), "positions and accelerations differ in number");
  require(potential.empty() || potential.size() == particles.position.size(), "positions and potentials differ");
  const bool with_potential = comm.any(!potential.empty());
  const double side = particles.box_size;
  const MassSums masses = sum_masses(particles, comm);
  const double mean_density = masses.sum * masses.heaviest / (side * side * side);
  const PencilMesh modes = potential_modes(particles, masses, mean_density, G, options, comm);
  PencilMesh field(comm, options.cells);
  std::ranges::fill(acceleration, Vec3f{});
  const ForceSplit split{options.split_scale, options.pair_cutoff};
  const PotentialConstants constant = potential_constants(G, split, options.softening, mean_density);
  for (std::size_t i = 0; i < potential.size(); ++i) {
    potential[i] = static_cast<float>(constant.own * particles.mass[i] + constant.everywhere);
  }
  const int meshes = options.interlacing ? 2 : 1;
  with_order(options.assignment, [&](auto order) {
    for (int mesh = 0; mesh < meshes; ++mesh) {
      const CloudMaker cloud(particles, options.cells, 0.5 * mesh, 0, 1);
      const CloudMail mail = CloudMail::addressed<order>(cloud, modes, options.in_flight);
      CloudPost post(mail, cloud, comm);
      for (int axis = 0; axis < (with_potential ? 4 : 3); ++axis) {
        find_field(modes, axis, 2 * std::numbers::pi / side, mesh == 1, field);
        read_mesh<order>(field, post, 0, [&](std::uint32_t i, double value) {
          if (axis < 3) {
            acceleration[i][axis] += static_cast<float>(value / meshes);
          } else if (!potential.empty()) {
            potential[i] += static_cast<float>(value / meshes);
          }
        });
      }
    }
  });
}

}  // namespace multiwalk
