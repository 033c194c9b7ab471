// SPDX-License-Identifier: GPL-3.0-or-later
// Interpolates values of a mesh to particles on any rank: the transpose of mass assignment.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "decomposition/mesh/cloud_mail.hpp"
#include "host/base/large_memory.hpp"
#include "host/simd/simd_kernels.hpp"

namespace multiwalk {

/// The contribution of this rank's mesh points to a cloud. With a `quantum` above 0 the share of each line along z is
/// rounded to a multiple of it.
template <int order>
double read_cloud(const PencilMesh& mesh, const Cloud& cloud, double quantum) {
  double sum = 0;
  for_each_line<order>(mesh, cloud, [&](auto x, auto y, double weight, const double* along_z, auto z) {
    const double* const line = mesh.values_along_z(x, y);
    double of_line = 0;
    for (std::size_t k = 0; k < order; ++k) of_line += along_z[k] * line[z(k)];
    const double share = weight * of_line;
    sum += quantum > 0 ? std::nearbyint(share / quantum) * quantum : share;
  });
  return sum;
}

/// The contribution for cubic splines without a quantum, with SIMD lanes if all of the cloud's points are on this rank.
class SplineReader {
 public:
  explicit SplineReader(const PencilMesh& mesh) : mesh_(mesh), read_(simd_kernels().read_cloud) {}

  double operator()(const Cloud& cloud) const {
    const auto x = cloud_shares<4>(cloud.place.x), y = cloud_shares<4>(cloud.place.y),
               z = cloud_shares<4>(cloud.place.z);
    const IndexRange &held_x = mesh_.pencil().value_x, &held_y = mesh_.pencil().value_y;
    const bool within = z.first >= 0 && z.first + 4 <= mesh_.cells();
    const auto x_points = touched(x, mesh_.cells()), y_points = touched(y, mesh_.cells());
    const double* line[16];
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        if (!within || !held_x.contains(x_points[i]) || !held_y.contains(y_points[j])) {
          return read_cloud<4>(mesh_, cloud, 0);
        }
        line[4 * i + j] = mesh_.values_along_z(x_points[i], y_points[j]) + z.first;
      }
    }
    return read_(line, x.weight, y.weight, z.weight);
  }

 private:
  const PencilMesh& mesh_;
  double (*read_)(const double* const*, const double*, const double*, const double*);
};

/// Values that clouds read from this rank's mesh points.
template <int order>
void read_clouds(const PencilMesh& mesh, std::span<const Cloud> clouds, double quantum, std::span<double> value) {
  const SplineReader spline(mesh);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < clouds.size(); ++i) {
    value[i] = order == 4 && quantum == 0 ? spline(clouds[i]) : read_cloud<order>(mesh, clouds[i], quantum);
  }
}

/// Calls add(i, value) for every particle, once for each rank that holds mesh points of its cloud. The values add up to
/// the interpolated one, with the same bits for any number of ranks if `quantum` is a power of two of at least 2^-52
/// times the largest value. Collective.
template <int order, class Add>
void read_mesh(const PencilMesh& field, CloudPost& post, double quantum, Add add) {
  LargeArray<double> value;
  for (std::uint64_t round = 0; round < post.rounds(); ++round) {
    const CloudRound& brought = post.bring(round);
    const std::span<const Cloud> clouds = brought.clouds();
    value.resize(clouds.size());
    read_clouds<order>(field, clouds, quantum, value);
    brought.answer(value, field.communicator(), add);
  }
}

}  // namespace multiwalk
