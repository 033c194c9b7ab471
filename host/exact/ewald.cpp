// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/exact/ewald.hpp"

#include <cmath>

#include "host/gravity/ewald_lattice.hpp"
#include "host/gravity/ewald_table.hpp"
#include "host/simd/simd_kernels.hpp"

namespace multiwalk {

namespace {

double nearest(double d, double side) {
  return d - side * std::rint(d / side);
}

ForceSum<double> exact_sum(std::span<const Vec3d> position, std::span<const float> mass, Vec3d target,
                           const EwaldLaw& law) {
  static const EwaldLattice lattice;
  const double inverse = 1 / law.box_size, softening2 = law.softening * law.softening;
  ForceSum<double> pairs, rest;
  for (std::size_t j = 0; j < position.size(); ++j) {
    const Vec3d apart = position[j] - target;
    const Vec3d d{nearest(apart.x, law.box_size), nearest(apart.y, law.box_size), nearest(apart.z, law.box_size)};
    const double m = mass[j];
    if (is_softened(softening2)) {
      accumulate_monopole<true>(d, m, softening2, pairs);
    } else {
      accumulate_monopole<false>(d, m, softening2, pairs);
    }
    const ForceSum<double> correction = lattice.correction(inverse * d);
    rest.x += m * correction.x;
    rest.y += m * correction.y;
    rest.z += m * correction.z;
    rest.potential += m * correction.potential;
  }
  const double inverse2 = inverse * inverse;
  return {pairs.x + inverse2 * rest.x, pairs.y + inverse2 * rest.y, pairs.z + inverse2 * rest.z,
          pairs.potential + inverse * rest.potential};
}

}  // namespace

ForceSum<double> ewald_sum(std::span<const Vec3d> position, std::span<const float> mass, Vec3d target,
                           const EwaldLaw& law) {
  if (law.method == EwaldMethod::exact) return exact_sum(position, mass, target, law);
  return simd_kernels().ewald(position.data(), mass.data(), position.size(), target,
                              {law.box_size, law.softening * law.softening, ewald_table().data()});
}

std::vector<ForceSum<double>> ewald_sums(std::span<const Vec3d> position, std::span<const float> mass,
                                         std::span<const std::uint32_t> targets, const EwaldLaw& law) {
  if (law.method == EwaldMethod::tabulated) ewald_table();
  std::vector<ForceSum<double>> sums(targets.size());
#pragma omp parallel for schedule(dynamic, 4)
  for (std::size_t t = 0; t < targets.size(); ++t) {
    sums[t] = ewald_sum(position, mass, position[targets[t]], law);
  }
  return sums;
}

}  // namespace multiwalk
