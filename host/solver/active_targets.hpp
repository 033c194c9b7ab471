// SPDX-License-Identifier: GPL-3.0-or-later
// The targets of an evaluation for some of the particles only: those on short rungs.
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

/// Other particles are not touched. Packed targets have arrays of their own. The targets of a grown tree are too many
/// to be held twice, so their potential is overwritten by that of the pairs alone.
class ActiveTargets {
 public:
  /// Chooses the tree's groups that contain particles of rung `least` or deeper, with tight boxes around these
  /// particles and, if the tree has any, their smallest accelerations. The back end of a grown tree holds the targets,
  /// by place; otherwise they are packed.
  void choose(const ParticleStore& particles, const LocalTree& tree, int least);

  [[nodiscard]] std::span<Group> groups() { return groups_; }
  [[nodiscard]] std::span<const double> smallest() const { return smallest_; }
  /// (groups) the elements of the view that belong to each group; in a grown tree, the places from its first to its
  /// last active particle.
  [[nodiscard]] std::span<const ParticleRange> runs() const { return runs_; }
  /// (targets) index in the store of each element of the view; for a grown tree, `order`.
  [[nodiscard]] std::span<const std::uint32_t> index() const { return grown_ ? order_ : active_; }
  /// For the back end; valid until the next choice.
  [[nodiscard]] TargetView view(ParticleStore& particles);
  /// Sets the acceleration of each active particle to that of the pairs plus its long_range.
  void store(ParticleStore& particles) const;

 private:
  std::vector<Group> groups_;
  std::vector<double> smallest_;
  std::vector<ParticleRange> runs_;
  std::vector<std::uint32_t> count_;   ///< (groups to choose from) number of active particles
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
