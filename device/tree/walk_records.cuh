// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a device-resident tree that the host's walks read: families and groups.
#pragma once

#include <cstdint>

#include "device/tree/moved_cells.cuh"
#include "device/tree/scratch.cuh"
#include "host/tree/gravity_options.hpp"
#include "host/walk/group.hpp"
#include "host/walk/walk_families.hpp"

namespace multiwalk {

/// A device-resident tree: (nodes) and (N) in key order.
struct TreeOnDevice {
  const Node* node;
  const Multipole* multipole;
  std::uint32_t nodes;
  const Vec3d* position;
  const std::uint64_t* key;
  std::uint32_t particles;
  Cube cube;
  MovedCells moved{};  ///< of a tree whose particles have drifted since it was grown; key is null then
};

/// The records of host/walk/walk_families.hpp.
class FamilyMaker {
 public:
  explicit FamilyMaker(DeviceMemory& memory) : below_(memory), family_(memory), radius_(memory), scratch_(memory) {}

  /// Returns how many there are; waits for the stream to know. 0: the device is full. `radii`: they are kept.
  [[nodiscard]] std::uint32_t operator()(const TreeOnDevice& tree, const GravityOptions& options,
                                         double gravitational_constant, bool radii, const Stream& stream);
  [[nodiscard]] WalkFamily* family() const { return family_.data(); }
  /// (nodes) of opening, if they are kept.
  [[nodiscard]] const float* radius() const { return radius_.data(); }
  /// (nodes) number of an inner node's family, until release_scratch.
  [[nodiscard]] const std::uint32_t* below() const { return below_.data(); }
  /// Room for `all` families, of which the first `used` stay. False: the device is full.
  [[nodiscard]] bool reserve_more(std::size_t all, std::size_t used, const Stream& stream) {
    return family_.reserve_keeping(all, used, all / 16, stream);
  }
  /// Frees all but the families.
  void release_scratch(const Stream& stream);
  void release(const Stream& stream);

 private:
  DeviceBuffer<std::uint32_t> below_;  ///< (nodes) number of an inner node's family
  DeviceBuffer<WalkFamily> family_;
  DeviceBuffer<float> radius_;
  Scratch scratch_;
};

/// (N) accelerations of the previous step (null: none) and, for each particle in key order, its index among them (null:
/// they are in key order, too).
struct OldAccelerations {
  const Vec3f* acceleration;
  const std::uint32_t* order;
  double background;  ///< background times position is added
};

/// The groups of host/walk/group.hpp, in key order.
class GroupMaker {
 public:
  explicit GroupMaker(DeviceMemory& memory)
      : node_(memory), first_(memory), count_(memory), group_(memory), pull_(memory), scratch_(memory) {}

  /// Returns how many there are; waits for the stream to know. 0: the device is full. smallest_pull() is written if
  /// there are old accelerations. In a periodic box groups lie in cells of at most largest_periodic_cell of its side;
  /// any_wide() then says whether a leaf that is larger has become a group.
  [[nodiscard]] std::uint32_t operator()(const TreeOnDevice& tree, std::uint32_t group_size,
                                         const OldAccelerations& old, const Stream& stream);
  [[nodiscard]] const Group* group() const { return group_.data(); }
  [[nodiscard]] const float* smallest_pull() const { return pull_.data(); }
  [[nodiscard]] bool any_wide() const { return any_wide_; }
  /// Frees all but groups and pulls.
  void release_scratch(const Stream& stream);
  void release(const Stream& stream);

 private:
  DeviceBuffer<std::uint32_t> node_;   ///< (N) 1 + node of the group that begins at a particle, or 0
  DeviceBuffer<std::uint32_t> first_;  ///< (groups) their first particles
  DeviceBuffer<std::uint32_t> count_;
  DeviceBuffer<Group> group_;
  DeviceBuffer<float> pull_;
  Scratch scratch_;
  bool any_wide_ = false;
};

}  // namespace multiwalk
