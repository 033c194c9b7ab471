// SPDX-License-Identifier: GPL-3.0-or-later
// Which sizes of groups and leaves are fastest, found on line: the optimum depends on how fast threads walk and how
// fast pairs are evaluated (Hamada et al. 2009, their Figs. 5 and 6).
#pragma once

#include <cstdint>
#include <limits>

namespace multiwalk {

/// Sizes that change the speed of an evaluation and, within its errors, its result.
struct TreeSizes {
  std::uint32_t group = 0;  ///< most particles that share a walk
  std::uint32_t leaf = 0;   ///< most particles in a leaf

  bool operator==(const TreeSizes&) const = default;
};

/// Searches in factors of two, one size after the other, for the least time at equal errors, and settles for good, at
/// the latest when slow sizes have cost half a percent of the run. Its answers depend only on the seconds it is given.
class SizeTuner {
 public:
  /// If `search` is false, it is settled on `start`. `evaluations`: how many the run is expected to make.
  SizeTuner(TreeSizes start, bool search, double evaluations = std::numeric_limits<double>::infinity())
      : best_(start), budget_(share_of_run * evaluations), settled_(!search) {}

  /// For the next evaluation.
  [[nodiscard]] TreeSizes sizes() const { return settled_ || first_ ? best_ : trial(); }
  [[nodiscard]] bool settled() const { return settled_; }
  /// Seconds of an evaluation with sizes(), without what does not depend on them: a constant part would make every
  /// size look alike, and larger groups would win by their smaller errors.
  void note(double seconds);
  /// Extra seconds of the evaluations with sizes on trial, compared with the best sizes known at that time.
  [[nodiscard]] double lost() const { return lost_; }

 private:
  static constexpr double share_of_run = 0.005;
  static constexpr int moves = 4;  ///< larger groups, smaller groups, larger leaves, smaller leaves

  [[nodiscard]] TreeSizes trial() const;
  void judge(double cost);
  void next_move();

  TreeSizes best_;
  double budget_;  ///< evaluations with the best sizes
  double best_cost_ = std::numeric_limits<double>::infinity();
  double best_seconds_ = std::numeric_limits<double>::infinity();  ///< fastest with the best sizes
  double lost_ = 0;
  double seconds_ = std::numeric_limits<double>::infinity();  ///< fastest with the present sizes
  int evaluations_ = 0;                                       ///< with the present sizes
  int move_ = 0;
  bool moved_ = false;  ///< the present move has paid
  bool warm_ = false;   ///< memory is there: an evaluation has been made
  bool first_ = true;   ///< best_ is yet to be timed
  bool settled_;
};

}  // namespace multiwalk
