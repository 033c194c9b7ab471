// SPDX-License-Identifier: GPL-3.0-or-later
// Many walks packed for one launch: each walk is a group of targets and a list of cells and particle ranges, by index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "host/base/host_device.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// A run of source particles in key order.
struct ParticleRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// A cell is far from a group if its centre of mass is farther from the group's box than this times the box's half
/// diagonal h, and farther than the floor. Since |x| <= h for targets, (|X| + |x|) / R is at most 1 + 2 / factor = 5.
/// Its square amplifies roundings of 2^-24 in R^2 = |X|^2 - 2 X.x + |x|^2, so that a force is accurate to 1e-5. The
/// floor (length) keeps 1/R^5 finite.
inline constexpr double far_factor = 0.5;
inline constexpr double far_floor = 1e-6;

/// By convention an expanded cell counts as this many pairs: at 38 operations for a pair (Warren et al. 1997), the 593
/// additions and multiplications of order 5 in gravity/local_expansion.hpp. What a particle's own force from the
/// expansion takes does not count.
inline constexpr std::uint32_t pairs_of_expansion = 16;

/// One walk of a batch. Offsets into the batch's `cells` and `ranges`.
struct Walk {
  Vec3d centre;                    ///< origin of the kernel's single-precision coordinates
  std::uint32_t target_first = 0;  ///< targets are a run of particles in key order
  std::uint32_t target_count = 0;
  std::uint32_t cell_first = 0;
  std::uint32_t cell_count = 0;
  std::uint32_t range_first = 0;
  std::uint32_t range_count = 0;
  std::uint32_t source_count = 0;    ///< particles in the ranges
  std::uint32_t far_count = 0;       ///< the first far_count cells are far from the targets' box
  std::uint32_t expanded_count = 0;  ///< cells behind the cell_count that act through an expansion about the centre
  std::uint32_t result_first = 0;  ///< for back ends that return results per batch: the place of the first target there

  [[nodiscard]] MULTIWALK_HOST_DEVICE std::uint64_t particle_pairs() const {
    return std::uint64_t{target_count} * source_count;
  }
  [[nodiscard]] MULTIWALK_HOST_DEVICE std::uint64_t cell_pairs() const {
    return std::uint64_t{target_count} * cell_count;
  }
  /// The share of one target in the walk's interactions.
  [[nodiscard]] MULTIWALK_HOST_DEVICE float work_of_target() const {
    return static_cast<float>(source_count + cell_count) +
           static_cast<float>(pairs_of_expansion * expanded_count) / static_cast<float>(target_count);
  }
};

/// Owner of one batch (compressed rows). The back end provides the memory, so a device back end can pin it.
struct WalkBatch {
  explicit WalkBatch(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : walks(memory), cells(memory), ranges(memory) {}

  std::pmr::vector<Walk> walks;
  std::pmr::vector<std::uint32_t> cells;   ///< node indices of accepted cells
  std::pmr::vector<ParticleRange> ranges;  ///< opened leaves, adjacent ones merged

  void clear() {
    walks.clear();
    cells.clear();
    ranges.clear();
  }
  [[nodiscard]] bool empty() const { return walks.empty(); }
};

}  // namespace multiwalk
