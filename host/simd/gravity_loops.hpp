// SPDX-License-Identifier: GPL-3.0-or-later
// The inner loops of direct gravity on the CPU: one set for each law and precision, compiled per instruction set.
#pragma once

#include <cstddef>

#include "host/simd/direct_frame.hpp"
#include "host/simd/direct_precision.hpp"

namespace multiwalk {

/// A task as the loops read it; null: absent, or not wanted.
struct GravityCall {
  const Vec3d* source_position;
  const Vec3d* source_velocity;
  const double* source_mass;
  std::size_t sources;  ///< at least 1
  const Vec3d* target_position;
  const Vec3d* target_velocity;
  const double* target_mass;
  Vec3d* acceleration;
  Vec3d* jerk;
  double* potential;
  double softening2;
  DirectFrame frame;
};

struct GravityLaw {
  bool jerk, softened;
  DirectPrecision precision;
};

struct GravityLoops {
  std::size_t lanes;         ///< sources in a vector
  std::size_t vector_bytes;  ///< a packed vector of sources, aligned to 64 bytes
  /// Packs the vectors `first` up to `end`; vector i goes to packed + i vector_bytes.
  void (*pack)(const GravityCall& call, std::size_t first, std::size_t end, void* packed);
  /// Results for the targets `first` up to `end`.
  void (*sum)(const GravityCall& call, const void* packed, std::size_t first, std::size_t end);
};

}  // namespace multiwalk
