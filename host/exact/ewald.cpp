// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/exact/ewald.hpp"

#include <cmath>

#include "host/simd/simd_kernels.hpp"

namespace multiwalk {

namespace {

double nearest(double d, double side) {
  return d - side * std::rint(d / side);
}

}  // namespace

EwaldSum::EwaldSum(const EwaldLaw& law) : law_(law) {
  const double softening = law.softening / law.box_size;
  if (law.method == EwaldMethod::exact) {
    lattice_.emplace(softening);
  } else {
    table_ = ewald_table(softening);
  }
}

ForceSum<double> EwaldSum::operator()(std::span<const Vec3d> position, std::span<const float> mass,
                                      Vec3d target) const {
  if (lattice_) return exact_sum(position, mass, target);
  return simd_kernels().ewald(position.data(), mass.data(), position.size(), target,
                              {law_.box_size, law_.softening * law_.softening, table_->data()});
}

ForceSum<double> EwaldSum::exact_sum(std::span<const Vec3d> position, std::span<const float> mass, Vec3d target) const {
  const double inverse = 1 / law_.box_size, softening2 = law_.softening * law_.softening;
  ForceSum<double> pairs, rest;
  for (std::size_t j = 0; j < position.size(); ++j) {
    const Vec3d apart = position[j] - target;
    const Vec3d d{nearest(apart.x, law_.box_size), nearest(apart.y, law_.box_size), nearest(apart.z, law_.box_size)};
    const double m = mass[j];
    if (is_softened(softening2)) {
      accumulate_monopole<true>(d, m, softening2, pairs);
    } else {
      accumulate_monopole<false>(d, m, softening2, pairs);
    }
    const ForceSum<double> correction = lattice_->correction(inverse * d);
    rest.x += m * correction.x;
    rest.y += m * correction.y;
    rest.z += m * correction.z;
    rest.potential += m * correction.potential;
  }
  const double inverse2 = inverse * inverse;
  return {pairs.x + inverse2 * rest.x, pairs.y + inverse2 * rest.y, pairs.z + inverse2 * rest.z,
          pairs.potential + inverse * rest.potential};
}

ForceSum<double> ewald_sum(std::span<const Vec3d> position, std::span<const float> mass, Vec3d target,
                           const EwaldLaw& law) {
  return EwaldSum(law)(position, mass, target);
}

}  // namespace multiwalk
