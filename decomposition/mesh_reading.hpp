// What particles anywhere read from the values of a mesh: the transpose of mass assignment.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "decomposition/bulk_vector.hpp"
#include "decomposition/cloud_mail.hpp"

namespace multiwalk {

/// What this rank's mesh points give to a cloud. With a `quantum` above 0 the share of each line along z is rounded to
/// a multiple of it.
template <int order>
double read_cloud(const PencilMesh& mesh, const Cloud& cloud, double quantum = 0) {
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

/// Calls add(i, value) for every particle, for each rank that holds mesh points of its cloud: the values add up to what
/// it reads, bitwise the same for any number of ranks if `quantum` is a power of two of at least 2^-52 times the
/// largest value. Collective.
template <int order, class Add>
void read_mesh(const PencilMesh& field, CloudPost& post, double quantum, Add add) {
  BulkVector<double> value;
  for (std::uint64_t round = 0; round < post.rounds(); ++round) {
    const CloudRound& brought = post.bring(round);
    const std::span<const Cloud> clouds = brought.clouds();
    value.resize(clouds.size());
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < clouds.size(); ++i) value[i] = read_cloud<order>(field, clouds[i], quantum);
    brought.answer(value, field.communicator(), add);
  }
}

}  // namespace multiwalk
