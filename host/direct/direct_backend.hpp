// SPDX-License-Identifier: GPL-3.0-or-later
// Gravity by direct summation over all pairs, in the tradition of CUNBODY-1 (Hamada & Iitaka 2007): G = 1, arrays of
// doubles in and out, any number of targets and sources. Who evaluates pairs (SIMD units, CUDA) is a back end's affair.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "host/base/vec3.hpp"

namespace multiwalk {

/// How pair terms are added up. Single-precision pairs unless said otherwise.
enum class Accumulation {
  plain,        ///< one single-precision sum (on SIMD units one in each lane)
  chamomile,    ///< single-precision sums of a few hundred pairs, added in single precision (Hamada & Iitaka 2007)
  compensated,  ///< single-precision sums that carry their rounding errors (Kahan 1965)
  mixed,        ///< single-precision sums of at most 128 pairs, added in double precision
  full          ///< pairs and sums in double precision
};

/// How coordinates and velocities are split if pairs are in single precision.
enum class Splitting {
  single,  ///< rounded to single precision about the sources' centre
  hi_lo    ///< the sum of two single-precision numbers: separations as good as of doubles
};

struct DirectPrecision {
  Accumulation accumulation = Accumulation::mixed;
  Splitting splitting = Splitting::hi_lo;
};

/// One summation. R^2 = r^2 + softening2; without softening a source at the target's very place adds nothing.
///   acceleration = sum m d / R^3,  d = source - target
///   potential = -sum m / R
///   jerk = sum m (v / R^3 - 3 (d.v) d / R^5),  v = source's velocity - target's
struct DirectTask {
  std::span<const Vec3d> source_position;  ///< (M)
  std::span<const double> source_mass;     ///< (M)
  std::span<const Vec3d> source_velocity;  ///< (M), or empty where no jerk is wanted
  std::span<const Vec3d> target_position;  ///< (N)
  std::span<const Vec3d> target_velocity;  ///< (N) or empty, likewise
  /// (N) if every target is one of the sources too: its own pair is left out of its potential. Else empty.
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

/// One of two sets of bodies that pull each other and have no body in common.
struct DirectBlock {
  std::span<const Vec3d> position;  ///< (N)
  std::span<const Vec3d> velocity;  ///< (N), or empty where no jerk is wanted
  std::span<const double> mass;     ///< (N)

  /// Set to the sums over the other set; empty: not wanted.
  std::span<Vec3d> acceleration;  ///< (N)
  std::span<Vec3d> jerk;          ///< (N)
  std::span<double> potential;    ///< (N)
};

/// Two summations: of each block over the other.
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

/// One thread at a time may call it, and the functions it returns.
class DirectBackend {
 public:
  virtual ~DirectBackend() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string description() const = 0;
  /// Fills the task's results. Bitwise repeatable for the same task. Throws Error.
  virtual void sum(const DirectTask& task) = 0;
  /// Fills the results of both blocks; a back end that can evaluates each pair once for both. Repeatable and throws as
  /// sum(); this one calls it twice.
  virtual void sum_both(const DirectCouple& couple);
  /// Begin sum() and sum_both(); a device goes on by itself while the caller does other things. The results are there
  /// when the returned function has been called: it must be, once, in the order of the beginnings, and the arrays must
  /// stay till then. Two may be under way. These do all at the beginning.
  [[nodiscard]] virtual std::function<void()> begin_sum(const DirectTask& task);
  [[nodiscard]] virtual std::function<void()> begin_sum_both(const DirectCouple& couple);
  /// Seconds that a device spent on pairs in the last call, copies left out; 0: not known.
  [[nodiscard]] virtual double kernel_seconds() const { return 0; }
  /// To measure: from now on a device evaluates the pairs of a call so many times in a row, without waiting in between,
  /// and kernel_seconds is the mean.
  virtual void evaluate_in_a_row(int /*times*/) {}
};

/// On the SIMD units of the CPU, by `threads` OpenMP threads (0: as OpenMP has it); `instruction_set` as
/// simd_kernels().
std::unique_ptr<DirectBackend> make_simd_direct_backend(int threads = 0, std::string_view instruction_set = "");

/// The scalar double-precision loop everything else is measured against, one thread.
std::unique_ptr<DirectBackend> make_scalar_direct_backend();

}  // namespace multiwalk
