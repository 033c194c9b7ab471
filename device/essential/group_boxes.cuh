// SPDX-License-Identifier: GPL-3.0-or-later
// Boxes around the groups of a grown tree: other ranks cut their trees for the walks inside.
#pragma once

#include <optional>
#include <vector>

#include "device/tree/scratch.cuh"
#include "device/tree/tree_arrays.cuh"
#include "host/tree/acceptance.hpp"
#include "host/walk/group.hpp"

namespace multiwalk {

struct GroupBox {
  Vec3d lo, hi;
  double scale = 0;  ///< relative criterion: the largest scale of its groups
};

/// The groups of a grown tree, in device memory.
struct GrownGroups {
  const Group* group = nullptr;          ///< (count)
  const float* smallest_pull = nullptr;  ///< (count) relative criterion; else null
  std::uint32_t count = 0;
};

/// A box holds at most 1/boxes_per_rank of a rank's particles.
inline constexpr std::uint32_t boxes_per_rank = 64;

class GroupBoxFinder {
 public:
  explicit GroupBoxFinder(DeviceMemory& memory) : cell_(memory), count_(memory), box_(memory) {}

  /// One box for the groups that begin in each of the largest cells with at most 1/boxes_per_rank of the particles, in
  /// any order. Waits for the stream. None: the device is full.
  [[nodiscard]] std::optional<std::vector<GroupBox>> operator()(const CutTree& tree, const GrownGroups& groups,
                                                                const OpeningCriterion& criterion,
                                                                const Stream& stream);

 private:
  DeviceBuffer<std::uint32_t> cell_, count_;
  DeviceBuffer<GroupBox> box_;
};

}  // namespace multiwalk
