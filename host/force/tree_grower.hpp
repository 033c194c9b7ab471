// SPDX-License-Identifier: GPL-3.0-or-later
// Trees that a back end grows itself.
#pragma once

#include <cstdint>
#include <optional>

#include "host/base/box.hpp"
#include "host/base/phase_timer.hpp"
#include "host/force/force_backend.hpp"
#include "host/force/local_tree.hpp"
#include "host/force/particle_feed.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// The requirements on a grown tree.
struct GrowthTask {
  WalkSettings walks;
  std::uint32_t group_size = 0;  ///< most particles in a group
  bool whole = false;            ///< the host needs nodes, moments and radii, too, not only the walk records
  bool resident = false;         ///< a DeviceWalker will make the walks if it can: the tree may stay where it is
  bool shared = false;           ///< a DeviceWalker will cut parts of a resident tree for other ranks
  ParticleFeed* feed = nullptr;  ///< has the particles instead of the store; its errors go to the caller
};

/// Moments that some nodes of a grown tree should have instead of their own.
struct ChangedMoments {
  std::span<const std::uint32_t> node{};   ///< (changed)
  std::span<const Multipole> multipole{};  ///< (changed)
};

/// Per evaluation: take, grow and begin_grown in place of the back end's begin. The store may not change before grow
/// returns. Wall time is charged to the timer's phases.
class TreeGrower {
 public:
  /// Takes the particles, in any order, and returns their tight box. None: the host builds the tree, because the
  /// grower cannot or lacks the memory.
  virtual std::optional<Box> take(const ParticleStore& particles, const GrowthTask& task, PhaseTimer& timer) = 0;
  /// The tree of the particles taken last, in a cube around them; positions and masses are left to the host. Valid
  /// until the next evaluation. None: as above.
  virtual std::optional<LocalTree> grow(const GrowthTask& task, const Cube& cube, PhaseTimer& timer) = 0;
  /// As ForceBackend::begin, with the tree grown last as the sources and its particles as the targets.
  virtual bool begin_grown(const PairLaw& law, const ChangedMoments& changed, const TargetView& targets, int lanes) = 0;

 protected:
  ~TreeGrower() = default;
};

}  // namespace multiwalk
