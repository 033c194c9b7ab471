// SPDX-License-Identifier: GPL-3.0-or-later
// Back ends and memory of tree forces that stay ready between calls: fresh memory and a GPU's set-up take longer than
// the forces of a small system.
#pragma once

#include <memory>
#include <string>

#include "host/force/gravity_solver.hpp"
#include "host/particles/particle_system.hpp"
#include "run/backends/tree_backend.hpp"

namespace multiwalk {

class PooledSolver {
 public:
  explicit PooledSolver(const std::string& backend) : choice_(choose_backend(backend, {})) {}

  [[nodiscard]] ForceBackend& backend() const { return *choice_.backend; }
  /// Particles for the caller to fill, all of them: those of the last call may still be there.
  ParticleSystem& system() { return system_; }
  /// A solver with these options, with the scratch memory of the last call if its options were the same.
  GravitySolver& solver(const GravityOptions& options, int threads);
  /// Frees the memory of systems that are large for this machine.
  void end_call();

 private:
  BackendChoice choice_;
  ParticleSystem system_;
  std::unique_ptr<GravitySolver> solver_;
};

/// Returns itself to the pool, unless an exception ends its use; several threads may borrow at once and get solvers
/// of their own.
using BorrowedSolver = std::shared_ptr<PooledSolver>;

/// `backend`: as for choose_backend, whose errors it throws.
BorrowedSolver borrow_solver(const std::string& backend);

}  // namespace multiwalk
