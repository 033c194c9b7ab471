// SPDX-License-Identifier: GPL-3.0-or-later
// The interface between isa_gravity_loops.cpp and isa_kernels.cpp of the same instruction set.
#pragma once

#include "host/simd/gravity_loops.hpp"
#include "host/simd/simd_vector.hpp"

namespace multiwalk::MULTIWALK_ISA {

GravityLoops gravity_loops(const GravityLaw& law);
Extent extent(const Vec3d* point, std::size_t n);
double largest(const double* value, std::size_t n);

}  // namespace multiwalk::MULTIWALK_ISA
