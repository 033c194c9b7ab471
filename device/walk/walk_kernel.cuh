// SPDX-License-Identifier: GPL-3.0-or-later
// Forces of many walks: one thread block evaluates one walk (Hamada et al. 2009). Far cells are a launch of their own.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "host/gravity/short_range.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/walk_batch.hpp"

namespace multiwalk {

/// Everything a launch reads and writes, in device memory. Lists are indices into the resident arrays.
struct WalkLaunch {
  const Vec3d* position = nullptr;         ///< sources (N)
  const float* mass = nullptr;             ///< (N)
  const Multipole* multipole = nullptr;    ///< (nodes)
  const Vec3d* target_position = nullptr;  ///< (targets)
  const float* target_mass = nullptr;      ///< (targets)

  const Walk* walk = nullptr;            ///< (walk_count)
  const std::uint32_t* cell = nullptr;   ///< lists from the batch's cell number cell_base on
  const ParticleRange* range = nullptr;  ///< lists from the batch's range number range_base on
  std::uint32_t walk_count = 0;
  std::uint32_t cell_base = 0;
  std::uint32_t range_base = 0;
  std::uint32_t result_base = 0;

  float4* result = nullptr;  ///< from the batch's result number result_base on: acceleration and potential, with G

  double gravitational_constant = 1;
  float softening2 = 0;
  double period = 0;          ///< side of a periodic box, or 0: a vacuum
  double inverse_period = 0;  ///< or 0
  ShortRange split{};         ///< the part of a split force that is summed
  bool quadrupole = true;
  bool own_tree = true;       ///< every target meets itself among the sources
  float own_depth = 0;        ///< what they count for a unit mass there (host/gravity/pair_law.hpp)
  int expansion = 0;          ///< order of local expansions; 0: none
  bool large_groups = false;  ///< most groups have hundreds of targets

  /// Whether only the short-range part is summed.
  [[nodiscard]] bool is_split() const { return split.cutoff2 > 0; }
  /// Whether cells may be far: what is far beside expanded cells is too little for a launch of its own.
  [[nodiscard]] bool has_far_cells() const { return !is_split() && expansion == 0; }
};

/// Results in device memory, where a back end gathers them before the host asks.
struct StoreResults {
  const std::uint32_t* order = nullptr;  ///< (N) index in the store of each place; null: results lie by place
  Vec3f* acceleration = nullptr;         ///< (N) null: results go to the host
  float* potential = nullptr;            ///< (N)
  float* work = nullptr;                 ///< (N) interactions of each particle's walk
  bool accumulate = false;               ///< add to what is there
  // By place: only accelerations are written, with long_range added, of particles of rung `least_rung` and deeper.
  const std::uint8_t* rung = nullptr;  ///< (N) null: all results are written
  const Vec3f* long_range = nullptr;   ///< (N)
  int least_rung = 0;
};

/// Enqueues the writing of a launch's results. Throws Error if the launch is refused.
void store_results(const WalkLaunch& launch, const StoreResults& to, cudaStream_t stream);

/// Lets the kernels use the shared memory they need on the current device; once before the first launch there.
void prepare_walks();
void prepare_far_cells();

/// Enqueues the addition of the walks' far cells to the results, on tensor cores. Throws Error if the launch is
/// refused.
void launch_far_cells(const WalkLaunch& launch, cudaStream_t stream);

/// Enqueues the addition of the walks' expanded cells to the results. Throws as above.
void launch_expansions(const WalkLaunch& launch, cudaStream_t stream);

/// Enqueues the evaluation of all walks, with their far and expanded cells. Throws Error if the launch is refused.
void launch_walks(const WalkLaunch& launch, cudaStream_t stream);

}  // namespace multiwalk
