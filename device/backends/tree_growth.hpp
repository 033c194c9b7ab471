// SPDX-License-Identifier: GPL-3.0-or-later
// Growing the tree of a store's particles on every device of the back end.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "device/backends/device_set.hpp"
#include "device/backends/kept_store.hpp"
#include "host/force/particle_feed.hpp"
#include "host/force/tree_grower.hpp"

namespace multiwalk {

class TreeGrowth {
 public:
  TreeGrowth(DeviceSet& devices, KeptStore& kept) : devices_(devices), kept_(kept) {}

  /// As TreeGrower's; nothing may be in flight.
  std::optional<Box> take(const ParticleStore& particles, const GrowthTask& task, PhaseTimer& timer);
  std::optional<LocalTree> grow(const GrowthTask& task, const Cube& cube, PhaseTimer& timer);

  /// Whether the tree grown last is there for walks made by the device.
  [[nodiscard]] bool resident() const { return resident_; }
  /// Whether it is that of kept particles with rungs, for walks of the active ones until the next tree is grown.
  [[nodiscard]] bool lasts() const {
    const StoreCopy& input = devices_.first().tree.input();
    return resident_ && input.rungs && input.grown;
  }
  void end_resident_walks() {
    if (std::exchange(resident_, false)) devices_.first().end_resident_walks();
  }
  /// Whether groups of the tree grown last have hundreds of particles.
  [[nodiscard]] bool large_groups() const { return large_groups_; }
  /// Whether these are the groups of the tree grown last.
  [[nodiscard]] bool made(std::span<const Group> groups) const {
    return groups.empty() || groups.data() == copy_.group.data();
  }

 private:
  /// Room for the particles on every device; false if one lacks the memory.
  [[nodiscard]] bool reserve(std::size_t particles);
  /// Has read the store when it returns.
  void upload_store(const ParticleStore& particles);
  /// Uploads the feed's positions and returns their box.
  Box upload_positions();
  /// Uploads the feed's masses, while the devices sort.
  void upload_masses();
  std::optional<Box> upload(const ParticleStore& particles, PhaseTimer& timer);
  [[nodiscard]] bool stays(const GrowthTask& task) const;
  /// On every device, and the order's copy under way; false if one lacks the memory.
  [[nodiscard]] bool grow_trees(const GrowthTask& task, const Cube& cube, LocalTree& tree, PhaseTimer& timer);
  /// The rest of grow_trees, from the end of the sort on. `wait_for_accelerations` returns when their copies have
  /// begun.
  [[nodiscard]] bool build(const GrowthTask& task, LocalTree& tree, PhaseTimer& timer,
                           const std::function<void()>& wait_for_accelerations);
  /// This thread builds, the others of its team upload the feed's accelerations, which the tree needs last.
  [[nodiscard]] bool build_beside_accelerations(const GrowthTask& task, LocalTree& tree, PhaseTimer& timer);
  [[nodiscard]] std::size_t particles() const { return devices_.first().tree.particle_count(); }
  /// The particles taken are given back; `grown`: all but their order.
  void end_growth(bool grown);

  DeviceSet& devices_;
  KeptStore& kept_;
  GrownCopy copy_;
  ParticleFeed* feed_ = nullptr;    ///< has the particles to take
  const RawArrays* raw_ = nullptr;  ///< of the feed, if the device reads them itself
  bool accelerations_ = false;
  bool large_groups_ = false;
  bool resident_ = false;
};

}  // namespace multiwalk
