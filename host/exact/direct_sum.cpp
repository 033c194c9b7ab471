// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/exact/direct_sum.hpp"

#include "host/simd/simd_kernels.hpp"

namespace multiwalk {

ForceSum<double> direct_sum(std::span<const Vec3d> position, std::span<const float> mass, Vec3d target,
                            double softening) {
  return simd_kernels().direct(position.data(), mass.data(), position.size(), target, softening * softening);
}

}  // namespace multiwalk
