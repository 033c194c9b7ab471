// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the fastest sizes of groups and leaves during a run: the optimum depends on the speed of walking and of
// evaluating pairs (Hamada et al. 2009, Figs. 5 and 6).
#pragma once

#include <cstdint>
#include <limits>

namespace multiwalk {

/// Sizes that change the speed of an evaluation and, within its errors, its result.
struct TreeSizes {
  static constexpr std::uint32_t most = 65536;  ///< of either
  std::uint32_t group = 0;                      ///< most particles that share a walk
  std::uint32_t leaf = 0;                       ///< most particles in a leaf

  bool operator==(const TreeSizes&) const = default;
};

/// Searches for the shortest time at equal errors in factors of two, one size after the other, and settles for good
/// when slow sizes have cost half a percent of the run, if not earlier. Its choices depend only on the seconds passed
/// to it.
class SizeTuner {
 public:
  /// `search` false: settled on `start`. `evaluations`: how many the run is expected to make.
  SizeTuner(TreeSizes start, bool search, double evaluations = std::numeric_limits<double>::infinity())
      : best_(start), budget_(share_of_run * evaluations), settled_(!search) {}

  /// For the next evaluation.
  [[nodiscard]] TreeSizes sizes() const { return settled_ || first_ ? best_ : trial(); }
  [[nodiscard]] bool settled() const { return settled_; }
  /// Seconds of an evaluation with sizes(), without what does not depend on them: a constant part would make all sizes
  /// look alike, and larger groups would win by their smaller errors.
  void record(double seconds);
  /// Seconds by which evaluations with trial sizes took longer than those with the best sizes known at the time.
  [[nodiscard]] double lost() const { return lost_; }

 private:
  static constexpr double share_of_run = 0.005;
  static constexpr int moves = 4;  ///< larger groups, smaller groups, larger leaves, smaller leaves

  [[nodiscard]] TreeSizes trial() const;
  void judge(double cost);
  void next_move();

  TreeSizes best_;
  double budget_;  ///< in evaluations with the best sizes
  double best_cost_ = std::numeric_limits<double>::infinity();
  double best_seconds_ = std::numeric_limits<double>::infinity();  ///< fastest with the best sizes
  double lost_ = 0;
  double seconds_ = std::numeric_limits<double>::infinity();  ///< fastest with the current sizes
  int evaluations_ = 0;                                       ///< with the current sizes
  int move_ = 0;
  bool moved_ = false;  ///< the current move has paid off
  bool warm_ = false;   ///< an evaluation has been made, so memory is allocated
  bool first_ = true;   ///< best_ has not been timed yet
  bool settled_;
};

}  // namespace multiwalk
