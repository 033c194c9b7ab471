// SPDX-License-Identifier: GPL-3.0-or-later
// Gravity by direct summation over all pairs, in the tradition of CUNBODY-1 (Hamada & Iitaka 2007): G = 1, arrays of
// doubles in and out, any number of targets and sources. Back ends evaluate the pairs (SIMD units, CUDA).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "host/base/vec3.hpp"
#include "host/simd/direct_precision.hpp"

namespace multiwalk {

/// One summation. R^2 = r^2 + softening2; without softening a source at the target's very place adds nothing.
///   acceleration = sum m d / R^3,  d = source - target
///   potential = -sum m / R
///   jerk = sum m (v / R^3 - 3 (d.v) d / R^5),  v = source's velocity - target's
struct DirectTask {
  std::span<const Vec3d> source_position;  ///< (M)
  std::span<const double> source_mass;     ///< (M)
  std::span<const Vec3d> source_velocity;  ///< (M), or empty if no jerk is wanted
  std::span<const Vec3d> target_position;  ///< (N)
  std::span<const Vec3d> target_velocity;  ///< (N), or empty if no jerk is wanted
  /// (N) if every target is also a source: its own pair is then left out of its potential. Otherwise empty.
  std::span<const double> target_mass;
  double softening2 = 0;
  DirectPrecision precision;

  /// Set to the sums; empty: not wanted.
  std::span<Vec3d> acceleration;  ///< (N)
  std::span<Vec3d> jerk;          ///< (N)
  std::span<double> potential;    ///< (N)

  /// Targets and sources are the same arrays: the back end may evaluate each pair once for both.
  [[nodiscard]] bool mutual() const {
    return source_position.data() == target_position.data() && source_position.size() == target_position.size();
  }
};

/// One of two sets of bodies that attract each other and have no body in common.
struct DirectBlock {
  std::span<const Vec3d> position;  ///< (N)
  std::span<const Vec3d> velocity;  ///< (N), or empty if no jerk is wanted
  std::span<const double> mass;     ///< (N)

  /// Set to the sums over the other set; empty: not wanted.
  std::span<Vec3d> acceleration;  ///< (N)
  std::span<Vec3d> jerk;          ///< (N)
  std::span<double> potential;    ///< (N)
};

/// Two summations: each block over the other.
struct DirectCouple {
  DirectBlock first, second;
  double softening2 = 0;
  DirectPrecision precision;

  /// The summation of the first block over the second.
  [[nodiscard]] DirectTask one_way() const;
  [[nodiscard]] DirectCouple swapped() const { return {second, first, softening2, precision}; }
};

/// Throws Error if arrays of one kind differ in length, or jerks are wanted without velocities.
void check_task(const DirectTask& task);

/// One thread at a time may call a back end and the functions that it returns.
class DirectBackend {
 public:
  virtual ~DirectBackend() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string description() const = 0;
  /// Fills the task's results. Bitwise repeatable for the same task. Throws Error.
  virtual void sum(const DirectTask& task) = 0;
  /// Fills the results of both blocks; a back end may evaluate each pair once for both. Repeatable and throws like
  /// sum(); this version calls sum() twice.
  virtual void sum_both(const DirectCouple& couple);
  /// Start sum() and sum_both(); a device then works while the caller does other things. Results are complete once the
  /// returned function has been called. It must be called once, in the order in which sums were started, and the arrays
  /// must stay until then. Two sums may be in progress. These versions do all work at the start.
  [[nodiscard]] virtual std::function<void()> begin_sum(const DirectTask& task);
  [[nodiscard]] virtual std::function<void()> begin_sum_both(const DirectCouple& couple);
  /// Seconds that a device spent on pairs in the last call, without copies; 0: unknown.
  [[nodiscard]] virtual double kernel_seconds() const { return 0; }
  /// For measurements: from now on a device evaluates the pairs of a call this many times in a row, without waiting in
  /// between, and kernel_seconds is the mean.
  virtual void evaluate_in_a_row(int /*times*/) {}
};

/// On the SIMD units of the CPU with `threads` OpenMP threads (0: OpenMP's number); `instruction_set` as for
/// simd_kernels().
std::unique_ptr<DirectBackend> make_simd_direct_backend(int threads = 0, std::string_view instruction_set = "");

/// The scalar double-precision loop, with one thread: the reference for everything else.
std::unique_ptr<DirectBackend> make_scalar_direct_backend();

}  // namespace multiwalk
