// SPDX-License-Identifier: GPL-3.0-or-later
// Back ends and memory of tree forces that stay ready between calls: fresh memory and a GPU's set-up take longer than
// the forces of a small system.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "host/particles/particle_system.hpp"
#include "host/solver/gravity_solver.hpp"
#include "run/backends/tree_backend.hpp"

namespace multiwalk {

class PooledSolver {
 public:
  explicit PooledSolver(const std::string& backend) : choice_(choose_backend(backend, {})) {}

  [[nodiscard]] ForceBackend& backend() const { return *choice_.backend; }
  /// Particles for the caller to fill, all of them: those of the last call may still be there.
  ParticleSystem& system() { return system_; }
  /// Whether the ids of system() are 0, 1, 2... in this order, as after a call in which a device sorted the particles.
  /// The host then has no tree.
  [[nodiscard]] bool in_order() const { return in_order_; }
  void set_in_order(bool value) { in_order_ = value; }
  /// The exception under way does no harm: the solver may be used again.
  void stays_good() { good_ = true; }
  /// Whether stays_good was called in this use.
  [[nodiscard]] bool ends_good() { return std::exchange(good_, false); }
  /// A solver with these options, with the scratch memory of the last call if its options were the same.
  GravitySolver& solver(const GravityOptions& options, int threads);
  /// About how many bytes it keeps for the next call.
  [[nodiscard]] std::size_t kept_bytes() const;
  /// Frees memory for particles, but not the back end.
  void release();

 private:
  BackendChoice choice_;
  ParticleSystem system_;
  std::unique_ptr<GravitySolver> solver_;
  bool in_order_ = false, good_ = false;
};

/// The most bytes that all idle solvers keep together, and the most that ResultMemory keeps: what a solver needs for
/// two million particles or, if that is more, a 32nd of the memory that this process may use; in any case at most an
/// eighth of that memory.
std::size_t most_kept_bytes();

/// Returns itself to the pool, unless an exception ends its use and stays_good was not called; several threads may
/// borrow at once and get solvers of their own.
using BorrowedSolver = std::shared_ptr<PooledSolver>;

/// `backend`: as for choose_backend, whose errors it throws.
BorrowedSolver borrow_solver(const std::string& backend);

}  // namespace multiwalk
