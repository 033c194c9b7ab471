// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates the memory and disk that a run needs: bytes per particle, node and mesh cell times their numbers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "run/evolve/box_forces.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// A run needs at most the first times its estimate, and at least its estimate divided by the second
/// (tests/program/plan/test_plan_memory.sh).
inline constexpr double most_above_plan = 1.2, most_below_plan = 1.1;

/// How a run is made; figures of memory are those of one rank.
struct RunShape {
  int ranks = 1;
  int devices = 0;            ///< of each rank
  bool device_walks = false;  ///< they make the walks and keep the particles, where several ranks can
  double program = 0;         ///< bytes that it takes without particles: code, libraries, MPI, a device's context
  double device_room = 0;     ///< bytes of a device for each rank; 0: unknown
  bool only_begins = false;   ///< initial conditions are all that is made
  double fullest = 1;         ///< particles of the rank that has most, over the mean
};

struct MemoryPlan {
  std::uint64_t particles = 0;    ///< of all ranks
  double program = 0;             ///< as the shape says
  double initial_conditions = 0;  ///< bytes at peak while they are made, beside the program's
  double step = 0;                ///< bytes at peak of a step or of an output, beside the program's
  double device = 0;              ///< bytes of each device; 0 on the CPU
  double not_kept = 0;            ///< bytes of a device if particles that it might keep do not stay; else 0

  [[nodiscard]] double peak() const { return program + std::max(initial_conditions, step); }
};

MemoryPlan plan_memory(const Parameters& parameters, const RunShape& shape);

/// Bytes at peak of drawing a square image.
double image_bytes(std::uint32_t pixels);
/// A rank's share of the meshes that a transform needs at its peak, with `cells` cells per side.
double meshes_bytes(std::uint32_t cells, int ranks);
/// Bytes of a snapshot, at least.
double snapshot_bytes(std::uint64_t particles);

}  // namespace multiwalk
