// SPDX-License-Identifier: GPL-3.0-or-later
// The groups of a tree that have particles on deep rungs, for walks that are made for these particles alone.
#pragma once

#include <cstdint>

#include "device/tree/scratch.cuh"
#include "host/base/vec3.hpp"
#include "host/walk/group.hpp"
#include "host/walk/walk_batch.hpp"

namespace multiwalk {

/// (N) by place, in device memory; the particles of rung `least` and deeper are active.
struct ActiveParticles {
  const Vec3d* position;
  const Vec3f* acceleration;
  const std::uint8_t* rung;
  int least;
  double background;  ///< background times position is added to accelerations
};

class ActiveGroups {
 public:
  explicit ActiveGroups(DeviceMemory& memory)
      : is_active_(memory),
        number_(memory),
        count_(memory),
        group_(memory),
        run_(memory),
        pull_(memory),
        scratch_(memory) {}

  /// Chooses among `groups`. Returns how many have active particles; waits for the stream to know. Throws InputError if
  /// the device is full.
  std::uint32_t choose(const Group* groups, std::uint32_t count, const ActiveParticles& particles,
                       const Stream& stream);
  /// Their boxes are those of their active particles.
  [[nodiscard]] const Group* group() const { return group_.data(); }
  /// The places from the first to the last active particle of each.
  [[nodiscard]] const ParticleRange* run() const { return run_.data(); }
  /// The smallest |acceleration + background x| of the active particles of each.
  [[nodiscard]] const float* smallest_pull() const { return pull_.data(); }
  void release(const Stream& stream);

 private:
  [[nodiscard]] bool find(const Group* groups, std::uint32_t count, const ActiveParticles& particles,
                          const Stream& stream);

  DeviceBuffer<std::uint8_t> is_active_;  ///< (groups to choose from)
  DeviceBuffer<std::uint32_t> number_;    ///< (active groups) among them
  DeviceBuffer<std::uint32_t> count_;
  DeviceBuffer<Group> group_;
  DeviceBuffer<ParticleRange> run_;
  DeviceBuffer<float> pull_;
  Scratch scratch_;
  std::uint32_t found_ = 0;
};

}  // namespace multiwalk
