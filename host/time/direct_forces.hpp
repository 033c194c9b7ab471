// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over the bodies of all processes, for integrators of direct N-body systems.
#pragma once

#include <cstdint>

#include "host/direct/direct_backend.hpp"

namespace multiwalk {

/// Totals of this process so far.
struct DirectForceCounts {
  std::uint64_t sums = 0;   ///< calls of sum()
  std::uint64_t pairs = 0;  ///< targets times sources, including those of other processes
  double summing = 0;       ///< seconds in the back end
  double waiting = 0;       ///< seconds in which this process waited for other processes' bodies
};

/// Collective: every process calls the same functions in the same order.
class DirectForces {
 public:
  virtual ~DirectForces() = default;
  /// Fills the task's results for this process's targets with the sums over all processes' sources. `task` holds this
  /// process's own sources, and each of its targets is among them; either may be empty. Repeats bit for bit on the same
  /// number of processes.
  virtual void sum(const DirectTask& task) = 0;
  /// The smallest value of all processes.
  virtual double min(double value) = 0;

  [[nodiscard]] const DirectForceCounts& counts() const { return counts_; }
  /// Counts what an integrator had summed without calling sum().
  void count(std::uint64_t sums, std::uint64_t pairs, double seconds) {
    counts_.sums += sums;
    counts_.pairs += pairs;
    counts_.summing += seconds;
  }

 protected:
  DirectForceCounts counts_;
};

/// A single process.
class LocalForces : public DirectForces {
 public:
  /// `backend` must outlive this.
  explicit LocalForces(DirectBackend& backend) : backend_(backend) {}

  void sum(const DirectTask& task) override;
  double min(double value) override { return value; }

 private:
  DirectBackend& backend_;
};

}  // namespace multiwalk
