// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/solver/size_tuner.hpp"

#include <algorithm>
#include <cmath>

namespace multiwalk {

namespace {

constexpr int evaluations_each = 2;
constexpr double worth_it = 0.98;  // of the lowest cost so far
// Groups twice as large have errors smaller by an eighth (Plummer spheres, quadrupoles, groups of 32 to 256). Since
// errors scale as theta^4.5 and pairs as theta^-3, that is worth a twelfth of the time. Seconds are therefore compared
// at equal errors, up to that group size.
constexpr double power_of_group = -0.13;
constexpr std::uint32_t errors_fall_to = 256;
constexpr TreeSizes smallest_sizes{64, 8}, largest_sizes{4096, 64};

/// Whether a size may be tried in place of `now`; a size that stays as it was may have any value.
bool allowed(TreeSizes s, TreeSizes now) {
  const bool group = s.group == now.group || (s.group >= smallest_sizes.group && s.group <= largest_sizes.group);
  const bool leaf = s.leaf == now.leaf || (s.leaf >= smallest_sizes.leaf && s.leaf <= largest_sizes.leaf);
  return group && leaf;
}

}  // namespace

TreeSizes SizeTuner::trial() const {
  switch (move_) {
    case 0:
      return {2 * best_.group, best_.leaf};
    case 1:
      return {best_.group / 2, best_.leaf};
    case 2:
      return {best_.group, 2 * best_.leaf};
    default:
      return {best_.group, best_.leaf / 2};
  }
}

void SizeTuner::record(double seconds) {
  if (settled_) return;
  if (!warm_) {
    warm_ = true;
    return;
  }
  seconds_ = std::min(seconds_, seconds);
  if (!first_) lost_ += std::max(0.0, seconds - best_seconds_);
  if (lost_ > budget_ * best_seconds_) settled_ = true;
  if (settled_ || ++evaluations_ < evaluations_each) return;
  judge(seconds_ * std::pow(std::min(sizes().group, errors_fall_to), power_of_group));
  seconds_ = std::numeric_limits<double>::infinity();
  evaluations_ = 0;
}

void SizeTuner::judge(double cost) {
  if (first_) {
    first_ = false;
    best_cost_ = cost;
    best_seconds_ = seconds_;
  } else if (cost < worth_it * best_cost_) {
    best_ = trial();
    best_cost_ = cost;
    best_seconds_ = seconds_;
    moved_ = true;
  } else {
    next_move();
  }
  while (!settled_ && !allowed(trial(), best_)) next_move();
}

void SizeTuner::next_move() {
  const bool back_is_known = moved_ && move_ % 2 == 0;
  move_ += back_is_known ? 2 : 1;
  moved_ = false;
  settled_ = move_ >= moves;
}

}  // namespace multiwalk
