// SPDX-License-Identifier: GPL-3.0-or-later
// Means of positions and velocities over all ranks, to the same bits however particles are shared out.
#pragma once

#include <cstdint>
#include <span>

#include "decomposition/ranks/communicator.hpp"
#include "decomposition/ranks/exact_sum.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// Sum over all ranks' vectors. Collective.
template <class T>
Vec3d exact_sum(std::span<const Vec3<T>> vectors, const Communicator& comm) {
  ExactSum x;
  ExactSum y;
  ExactSum z;
#pragma omp declare reduction(+ : ExactSum : omp_out += omp_in)
#pragma omp parallel for schedule(static) reduction(+ : x, y, z)
  for (const auto& vector : vectors) {
    x.add(vector.x);
    y.add(vector.y);
    z.add(vector.z);
  }
  return {x.total(comm), y.total(comm), z.total(comm)};
}

/// Shifts the vectors so that their mean over all ranks' `n` (of equal masses) becomes `mean`. Collective.
template <class T>
void set_mean(std::span<Vec3<T>> vectors, std::uint64_t n, Vec3d mean, const Communicator& comm) {
  const Vec3d shift = mean - exact_sum(std::span<const Vec3<T>>(vectors), comm) * (1 / static_cast<double>(n));
#pragma omp parallel for schedule(static)
  for (Vec3<T>& vector : vectors) vector = Vec3<T>(Vec3d(vector) + shift);
}

}  // namespace multiwalk
