// SPDX-License-Identifier: GPL-3.0-or-later
// The targets of an evaluation that concerns only some of the particles: those that move on short rungs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/force/force_backend.hpp"
#include "host/force/local_tree.hpp"
#include "host/particles/particle_store.hpp"
#include "host/walk/group.hpp"
#include "host/walk/walk_batch.hpp"

namespace multiwalk {

/// Nothing of the other particles is touched. Packed targets have arrays of their own; those of a grown tree, too many
/// to be held twice, get their potential overwritten by the pairs' alone.
class ActiveTargets {
 public:
  /// Of the tree's groups, those with particles of rung `least` or deeper, with tight boxes about these and, if the
  /// tree has any, their smallest accelerations. A grown tree's back end holds the targets, by place; else they are
  /// packed.
  void choose(const ParticleStore& particles, const LocalTree& tree, int least);

  [[nodiscard]] std::span<Group> groups() { return groups_; }
  [[nodiscard]] std::span<const double> smallest() const { return smallest_; }
  /// (groups) of each, which elements of the view; of a grown tree, places from the first to the last active one.
  [[nodiscard]] std::span<const ParticleRange> runs() const { return runs_; }
  /// (targets) index in the store of each element of the view; of a grown tree, `order`.
  [[nodiscard]] std::span<const std::uint32_t> index() const { return grown_ ? order_ : active_; }
  /// For the back end; valid until the next choice.
  [[nodiscard]] TargetView view(ParticleStore& particles);
  /// Sets the acceleration of each active particle to the pairs' plus its long_range.
  void store(ParticleStore& particles) const;

 private:
  std::vector<Group> groups_;
  std::vector<double> smallest_;
  std::vector<ParticleRange> runs_;
  std::vector<std::uint32_t> count_;   ///< (groups chosen from) active particles
  std::vector<std::uint32_t> active_;  ///< packed: index in the store of each active particle, in key order
  std::span<const std::uint32_t> order_;
  bool grown_ = false;
  int least_ = 0;
  std::vector<Vec3d> position_;
  std::vector<float> mass_;
  std::vector<Vec3f> acceleration_;
  std::vector<float> potential_;
};

}  // namespace multiwalk
