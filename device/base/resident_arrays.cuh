// SPDX-License-Identifier: GPL-3.0-or-later
// The particles, nodes and targets of one evaluation in the memory of one device.
#pragma once

#include "device/base/device_buffer.cuh"
#include "host/force/force_backend.hpp"

namespace multiwalk {

/// True if the targets are the sources: one copy serves both.
inline bool shared_arrays(const TreeView& sources, const TargetView& targets) {
  return targets.position.data() == sources.position.data() && targets.position.size() == sources.position.size() &&
         targets.mass.data() == sources.mass.data();
}

/// Bytes that one evaluation keeps on each device.
std::size_t resident_bytes(const TreeView& sources, const TargetView& targets);

struct ResidentArrays {
  DeviceBuffer<Vec3d> position, target_position;
  DeviceBuffer<float> mass, target_mass;
  DeviceBuffer<Multipole> multipole;
  // For a grown tree: the nodes to which the host has given other moments, and these moments.
  DeviceBuffer<std::uint32_t> changed_node;
  DeviceBuffer<Multipole> changed_multipole;
  // For a grown tree: the order of its particles, and results in the store's order; for kept particles, only
  // potential and work, by place.
  DeviceBuffer<std::uint32_t> order;
  DeviceBuffer<Vec3f> acceleration;
  DeviceBuffer<float> potential;
  DeviceBuffer<float> work;

  explicit ResidentArrays(DeviceMemory& memory)
      : position(memory),
        target_position(memory),
        mass(memory),
        target_mass(memory),
        multipole(memory),
        changed_node(memory),
        changed_multipole(memory),
        order(memory),
        acceleration(memory),
        potential(memory),
        work(memory) {}

  /// The particles that were sources of their own walks become the targets of other sources, or the other way round.
  void exchange_roles();
  /// Reserves room for everything; false if the device has not enough.
  [[nodiscard]] bool reserve(const TreeView& sources, const TargetView& targets, const Stream& stream);
  /// Reserves room for changes of a grown tree; false as above.
  [[nodiscard]] bool reserve_changes(std::size_t nodes, const Stream& stream);
  /// Reserves room for results in the store's order, `accelerations` among them; false as above, and then frees what
  /// was reserved.
  [[nodiscard]] bool reserve_results(std::size_t particles, bool accelerations, const Stream& stream);
  void release_results(const Stream& stream);
  /// Frees everything.
  void release(const Stream& stream);
};

}  // namespace multiwalk
