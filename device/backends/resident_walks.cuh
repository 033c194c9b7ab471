// SPDX-License-Identifier: GPL-3.0-or-later
// Walks made and evaluated by one device, which keeps lists and results.
#pragma once

#include "device/essential/tree_sharing.cuh"
#include "device/lists/list_maker.cuh"
#include "device/walk/walk_kernel.cuh"
#include "host/force/device_walker.hpp"

namespace multiwalk {

/// The tree and groups through and for which walks are made, in device memory.
struct ResidentTree {
  WalkTree tree{};
  const Group* group = nullptr;
  const float* smallest_pull = nullptr;  ///< (groups) relative criterion
  const ParticleRange* run = nullptr;    ///< (groups) the places of the targets; null: all of the group
  ForeignRoots foreign{};
  std::uint32_t groups = 0;
  std::size_t particles = 0;
};

class ResidentWalks {
 public:
  explicit ResidentWalks(DeviceMemory& memory)
      : memory_(&memory), lists_(memory), group_(memory), smallest_pull_(memory) {}

  /// Makes room for lists. False: the device is too full.
  [[nodiscard]] bool reserve(const Stream& stream) { return lists_.reserve(stream); }
  void release(const Stream& stream);

  /// Replaces the tree's groups by these. Throws InputError if there is no room.
  void replace_groups(const GroupWalks& task, ResidentTree& tree, const Stream& stream);
  /// Makes and evaluates the walks of all groups and stores the results. `common` says what to read and how to
  /// evaluate. Waits for the stream.
  MadeWalks walk(const GroupWalks& task, const ResidentTree& tree, const WalkLaunch& common, const StoreResults& store,
                 const Stream& stream);
  /// The time that evaluating the last walks took.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  DeviceMemory* memory_;
  ListMaker lists_;
  DeviceBuffer<Group> group_;
  DeviceBuffer<float> smallest_pull_;
  Event begun_, ended_;
  double seconds_ = 0;
};

}  // namespace multiwalk
