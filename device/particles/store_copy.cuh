// SPDX-License-Identifier: GPL-3.0-or-later
// A store's particles in the memory of a device: for one evaluation in the store's order or, if kept from one step to
// the next, in the key order of the last evaluation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/base/device_buffer.cuh"
#include "host/base/vec3.hpp"

namespace multiwalk {

struct StoreCopy {
  DeviceBuffer<Vec3d> position;
  DeviceBuffer<float> mass;
  DeviceBuffer<Vec3f> acceleration;               ///< kept, or for the relative criterion
  DeviceBuffer<Vec3f> velocity;                   ///< kept
  DeviceBuffer<Vec3f> long_range;                 ///< kept, with rungs
  DeviceBuffer<std::uint8_t> rung, next_rung;     ///< kept, with rungs; room for the next key order
  DeviceBuffer<std::uint32_t> index, next_index;  ///< kept: where each is in the store; room as above, and for places
  bool kept = false;
  bool rungs = false;     ///< kept, with rungs
  bool grown = false;     ///< kept, and the tree grown last is theirs
  std::size_t spare = 0;  ///< elements that are reserved besides, if there is room, for particles from other ranks
  // Recorded by the one who fills the arrays; the positions must be there when the particles are sorted.
  Event reserved, masses_there, all_there;

  explicit StoreCopy(DeviceMemory& memory)
      : position(memory),
        mass(memory),
        acceleration(memory),
        velocity(memory),
        long_range(memory),
        rung(memory),
        next_rung(memory),
        index(memory),
        next_index(memory) {}

  /// Room for n particles; false if the device is full.
  [[nodiscard]] bool reserve(std::size_t n, bool accelerations, const Stream& stream) {
    return position.reserve(n, stream) && mass.reserve(n, stream) &&
           (!accelerations || acceleration.reserve(n, stream));
  }
  /// Frees an array of this copy that the evaluation does not need any longer, unless it is kept.
  template <class T>
  void release(DeviceBuffer<T>& array, const Stream& stream) const {
    if (!kept) array.release(stream);
  }
  void release(const Stream& stream) {
    release(position, stream);
    release(mass, stream);
    release(acceleration, stream);
    release(velocity, stream);
    release(long_range, stream);
    release(rung, stream);
    release(next_rung, stream);
    release(index, stream);
    release(next_index, stream);
  }
};

}  // namespace multiwalk
