// SPDX-License-Identifier: GPL-3.0-or-later
// Walks of many groups made by the device, a warp per group.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "host/tree/acceptance.hpp"
#include "host/walk/group.hpp"
#include "host/walk/walk_batch.hpp"
#include "host/walk/walk_families.hpp"

namespace multiwalk {

inline constexpr unsigned list_threads = 128;
inline constexpr unsigned list_blocks = 8;  ///< per multiprocessor
/// Indices that a warp keeps for lists of `entries` entries.
constexpr MULTIWALK_HOST_DEVICE std::size_t warp_memory(std::uint32_t entries) {
  return 5 * std::size_t{entries};
}

/// What walks depend on, in device memory.
struct ListTask {
  WalkTree tree{};
  const Group* group = nullptr;
  const float* smallest_pull = nullptr;  ///< (groups) relative criterion; else null
  const ParticleRange* run = nullptr;    ///< (groups) the places of the targets; null: all of the group
  const std::uint32_t* root = nullptr;   ///< (roots) families of the roots of other ranks' trees, behind the own one
  std::uint32_t roots = 0;
  OpeningCriterion criterion;
  double cutoff = 0;
  int expansion = 0;  ///< order; 0: none
};

/// The groups of one launch: some that are walked again, then `count - again_count` from `first` on.
struct ListGroups {
  const std::uint32_t* again = nullptr;
  std::uint32_t again_count = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Where the walks of a launch and their lists go.
struct ListRoom {
  Walk* walk = nullptr;  ///< (groups) one without targets is to be made again
  std::uint32_t* cell = nullptr;
  ParticleRange* range = nullptr;
  std::uint32_t cells = 0, ranges = 0, results = 0;  ///< how many there may be
  std::uint32_t* again = nullptr;                    ///< (groups) those that found no room
  std::uint32_t* too_long = nullptr;                 ///< (groups) those whose lists a warp's memory does not hold
  std::uint32_t* memory = nullptr;                   ///< (warps x warp_memory(entries))
  std::uint32_t entries = 0;
  unsigned warps = 0;
};

/// Counts of one launch. A walk whose lists are complete asks for room, and is made if there is enough.
struct ListTotals {
  std::uint32_t next = 0;                                 ///< groups begun
  std::uint32_t again = 0;                                ///< groups without room
  std::uint32_t too_long = 0;                             ///< groups whose lists a warp's memory did not hold
  unsigned long long cells = 0, ranges = 0, results = 0;  ///< asked for
  unsigned long long particle_pairs = 0, cell_pairs = 0, expansions = 0;  ///< of the walks that were made
};

/// Enqueues the making of walks; `totals` are zeros. Throws Error if the launch is refused.
void make_lists(const ListTask& task, const ListGroups& groups, const ListRoom& room, ListTotals* totals,
                cudaStream_t stream);

}  // namespace multiwalk
