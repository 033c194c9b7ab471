// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/exact/direct_sum.hpp"

#include "host/simd/simd_kernels.hpp"

namespace multiwalk {

ForceSum<double> direct_sum(std::span<const Vec3d> position, std::span<const float> mass, Vec3d target,
                            double softening) {
  return simd_kernels().direct(position.data(), mass.data(), position.size(), target, softening * softening);
}

std::vector<ForceSum<double>> direct_sums(std::span<const Vec3d> position, std::span<const float> mass,
                                          std::span<const std::uint32_t> targets, double softening) {
  std::vector<ForceSum<double>> sums(targets.size());
#pragma omp parallel for schedule(dynamic, 4)
  for (std::size_t t = 0; t < targets.size(); ++t) {
    sums[t] = direct_sum(position, mass, position[targets[t]], softening);
  }
  return sums;
}

}  // namespace multiwalk
