// SPDX-License-Identifier: GPL-3.0-or-later
// Mass assignment. The owners of the mesh points that a cloud touches compute its shares there.
#include "decomposition/mesh/density_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "decomposition/mesh/cloud_mail.hpp"
#include "decomposition/ranks/agree.hpp"
#include "decomposition/ranks/buckets.hpp"
#include "decomposition/ranks/exact_sum.hpp"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

constexpr double all_mass = 0x1p51;  // in counts

/// The nearest integer, for sizes up to all_mass.
double whole(double counts) {
  constexpr double large = 0x1.8p52;
  return (counts + large) - large;
}

/// Adds the shares of this rank's mesh points.
template <int order>
void deposit(PencilMesh& mesh, const Cloud& cloud) {
  for_each_line<order>(mesh, cloud, [&](auto x, auto y, double weight, const double* along_z, auto z) {
    const double counts = cloud.weight * weight;
    double* const line = mesh.values_along_z(x, y);
    for (std::size_t k = 0; k < order; ++k) line[z(k)] += whole(counts * along_z[k]);
  });
}

/// The mesh divided along x and y into tiles, an even number along each axis, or one. A cloud that begins in a tile
/// ends there or in the next one: threads that add clouds of tiles of one colour, which is the parity along both axes,
/// never touch the same points.
class Tiles {
 public:
  explicit Tiles(std::uint32_t cells) : cells_(cells), per_side_(cells < 16 ? 1 : cells / 16 * 2) {}

  /// Calls act(cloud) for each, in parallel by tiles.
  template <int order, class Act>
  void for_each(std::span<const Cloud> clouds, Act act) const {
    const Buckets tiles = sort_into_buckets(clouds.size(), per_side_ * per_side_, [&](std::size_t i, auto bucket) {
      const Vec3d& place = clouds[i].place;
      bucket(along(touched(cloud_shares<order>(place.x), cells_)[0]) * per_side_ +
             along(touched(cloud_shares<order>(place.y), cells_)[0]));
    });
    const std::size_t colours = std::min<std::size_t>(per_side_, 2), of_colour = per_side_ / colours;
    for (std::size_t colour = 0; colour < colours * colours; ++colour) {
#pragma omp parallel for collapse(2) schedule(dynamic)
      for (std::size_t x = 0; x < of_colour; ++x) {
        for (std::size_t y = 0; y < of_colour; ++y) {
          const std::size_t tile = (x * colours + colour / 2) * per_side_ + y * colours + colour % 2;
          for (const std::uint32_t i : tiles[tile]) act(clouds[i]);
        }
      }
    }
  }

 private:
  [[nodiscard]] std::size_t along(std::uint32_t point) const {
    return point * per_side_ / cells_;
  }

  std::uint32_t cells_;
  std::size_t per_side_;
};

template <int order>
void deposit_all(PencilMesh& mesh, const CloudMaker& cloud, std::uint64_t in_flight) {
  const CloudMail mail = CloudMail::addressed<order>(cloud, mesh, in_flight);
  const Tiles tiles(mesh.cells());
  for (std::uint64_t round = 0; round < mail.rounds(); ++round) {
    const CloudRound brought(mail, cloud, round, mesh.communicator());
    tiles.for_each<order>(brought.clouds(), [&](const Cloud& c) { deposit<order>(mesh, c); });
  }
}

/// Calls act(value&) for this rank's values, in parallel.
template <class Act>
void for_each_value(PencilMesh& mesh, Act act) {
  const Pencil& mine = mesh.pencil();
#pragma omp parallel for collapse(2) schedule(static)
  for (std::uint32_t x = mine.value_x.first; x < mine.value_x.end(); ++x) {
    for (std::uint32_t y = mine.value_y.first; y < mine.value_y.end(); ++y) {
      for (std::uint32_t z = 0; z < mesh.cells(); ++z) act(mesh.value(x, y, z));
    }
  }
}

void check_particles(const PeriodicParticles& particles) {
  const std::size_t n = particles.position.size();
  require(n == particles.mass.size(), "positions and masses differ in number");
  require(n <= std::numeric_limits<std::uint32_t>::max(), "more particles than a rank may hold");
  bool usable = true;
#pragma omp parallel for schedule(static) reduction(&& : usable)
  for (std::size_t i = 0; i < n; ++i) {
    usable = usable && std::isfinite(norm2(particles.position[i])) && std::isfinite(particles.mass[i]) &&
             particles.mass[i] >= 0;
  }
  if (!usable) throw InputError("a density needs finite positions and masses, and no mass below 0");
}

}  // namespace

MassSums sum_masses(const PeriodicParticles& particles, const Communicator& comm) {
  collectively(comm, [&] { check_particles(particles); });
  const std::span<const float> mass = particles.mass;
  float own = 0;
#pragma omp parallel for schedule(static) reduction(max : own)
  for (std::size_t i = 0; i < mass.size(); ++i) own = std::max(own, mass[i]);
  MassSums sums;
  sums.particles = comm.sum(static_cast<std::uint64_t>(mass.size()));
  sums.heaviest = comm.max(own);
  if (!(sums.heaviest > 0)) throw SharedError("a density needs particles with mass");
  ExactSum sum, squares;
#pragma omp parallel
  {
    ExactSum part, part_squares;
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < mass.size(); ++i) {
      const double share = mass[i] / sums.heaviest;
      part.add(share);
      part_squares.add(share * share);
    }
#pragma omp critical
    {
      sum += part;
      squares += part_squares;
    }
  }
  sums.sum = sum.total(comm);
  sums.sum_of_squares = squares.total(comm);
  return sums;
}

PencilMesh density_mesh(const PeriodicParticles& particles, const MassSums& masses, std::uint32_t cells,
                        const DensityOptions& options, const Communicator& comm) {
  if (cells < 4) throw SharedError("a density mesh needs at least 4 cells per side");
  if (!(particles.box_size > 0)) throw SharedError("a density mesh needs a periodic box with a side above 0");
  require(options.mesh_shift >= 0 && options.mesh_shift < 1, "mesh_shift must lie between 0 and 1");
  require(options.in_flight > 0, "in_flight must be positive");
  const CloudMaker cloud(particles, cells, options.mesh_shift, options.fold, all_mass / (masses.sum * masses.heaviest));
  PencilMesh mesh(comm, cells);
  for_each_value(mesh, [](double& value) { value = 0; });
  with_order(options.assignment, [&](auto order) { deposit_all<order>(mesh, cloud, options.in_flight); });
  const double relative = static_cast<double>(cells) * cells * cells / all_mass;
  for_each_value(mesh, [relative](double& value) { value *= relative; });
  return mesh;
}

}  // namespace multiwalk
