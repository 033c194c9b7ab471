// SPDX-License-Identifier: GPL-3.0-or-later
// Particles of a periodic box as clouds of mass on a mesh.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "decomposition/mesh/pencil_mesh.hpp"
#include "host/base/vec3.hpp"
#include "host/mesh/mass_assignment.hpp"

namespace multiwalk {

/// A rank's share of the particles of a periodic box, in any order; positions may differ from the box by any number of
/// periods.
struct PeriodicParticles {
  std::span<const Vec3d> position;  ///< (N) in the unit of box_size
  std::span<const float> mass;      ///< (N) any unit
  double box_size = 0;
};

struct Cloud {
  Vec3d place;    ///< mesh spacings, [0, cells) up to rounding
  double weight;  ///< mass
};

/// Clouds of the particles on a mesh with `cells` per side, whose point i is at (i + shift) box_size / cells / 2^fold.
class CloudMaker {
 public:
  CloudMaker(const PeriodicParticles& particles, std::uint32_t cells, double shift, int fold, double weight_of_mass)
      : particles_(particles),
        cells_(cells),
        shift_(shift),
        folding_(std::ldexp(1.0, fold)),
        weight_of_mass_(weight_of_mass) {}

  [[nodiscard]] std::size_t size() const { return particles_.position.size(); }
  [[nodiscard]] Cloud operator()(std::size_t i) const {
    const Vec3d x = particles_.position[i];
    return {{place(x.x), place(x.y), place(x.z)}, weight_of_mass_ * static_cast<double>(particles_.mass[i])};
  }

 private:
  [[nodiscard]] double place(double x) const { return mesh_place(x / particles_.box_size * folding_, cells_, shift_); }

  PeriodicParticles particles_;
  double cells_, shift_, folding_, weight_of_mass_;
};

/// The mesh points of a cloud along an axis.
template <int order>
std::array<std::uint32_t, order> touched(const CloudShares<order>& shares, std::uint32_t cells) {
  std::array<std::uint32_t, order> points{};
  for (int i = 0; i < order; ++i) {
    points[static_cast<std::size_t>(i)] = periodic_point(shares.first + i, cells);
  }
  return points;
}

/// Calls act(x, y, weight, along_z, z) for the lines of mesh points along z that a cloud touches and this rank holds:
/// the point z(k) of a line has the share weight * along_z[k], k < order.
template <int order, class Act>
void for_each_line(const PencilMesh& mesh, const Cloud& cloud, Act act) {
  const auto x = cloud_shares<order>(cloud.place.x);
  const auto y = cloud_shares<order>(cloud.place.y);
  const auto z = cloud_shares<order>(cloud.place.z);
  const auto x_points = touched(x, mesh.cells()), y_points = touched(y, mesh.cells());
  const auto z_points = touched(z, mesh.cells());
  const bool contiguous = z_points[order - 1] == z_points[0] + order - 1;
  for (std::size_t i = 0; i < order; ++i) {
    if (!mesh.pencil().value_x.contains(x_points[i])) continue;
    for (std::size_t j = 0; j < order; ++j) {
      if (!mesh.pencil().value_y.contains(y_points[j])) continue;
      const double weight = x.weight[i] * y.weight[j];
      if (contiguous) {
        const std::uint32_t first = z_points[0];
        act(x_points[i], y_points[j], weight, z.weight, [first](std::size_t k) { return first + k; });
      } else {
        act(x_points[i], y_points[j], weight, z.weight, [&](std::size_t k) { return std::size_t{z_points[k]}; });
      }
    }
  }
}

}  // namespace multiwalk
