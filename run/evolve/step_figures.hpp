// SPDX-License-Identifier: GPL-3.0-or-later
// Seconds and counts of one step on this rank, collected while it goes on.
#pragma once

#include <cstdint>

#include "host/base/phase_timer.hpp"
#include "host/solver/gravity_solver.hpp"
#include "host/time/rungs.hpp"
#include "run/records/rank_timings.hpp"

namespace multiwalk {

class StepFigures {
 public:
  /// Starts the clock. `rest`: the phase of the time that is charged to no other.
  explicit StepFigures(Phase rest) : rest_(rest) {}

  /// Charges a phase with the time during which this object exists.
  class Charge {
   public:
    Charge(StepFigures& figures, Phase phase) : figures_(figures), phase_(phase) {}
    ~Charge() { figures_.charge(phase_, wall_time() - began_); }
    Charge(const Charge&) = delete;
    Charge& operator=(const Charge&) = delete;

   private:
    StepFigures& figures_;
    Phase phase_;
    double began_ = wall_time();
  };
  /// Counts the time during which it exists as waiting for other ranks.
  class Waiting {
   public:
    explicit Waiting(StepFigures& figures) : figures_(figures) {}
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    StepFigures& figures_;
    double began_ = wall_time();
  };

  void charge(Phase phase, double seconds) { own.seconds[static_cast<std::size_t>(phase)] += seconds; }
  /// Adds an evaluation of the forces on `targets` of this rank's particles that took `seconds`; `exchange`: null on
  /// one rank.
  void add(const ForceStatistics& forces, double seconds, std::uint64_t targets, const EssentialStatistics* exchange);
  /// Charges the rest and returns this rank's part of the record.
  const RankTimings& finish(std::size_t particles);

  RankTimings own;
  RawCount raw;
  std::uint64_t evaluations = 0;   ///< forces on one particle
  std::uint64_t last_raw = 0;      ///< pairs of the last evaluation, that of all particles
  std::uint64_t substeps = 0;      ///< of a block
  PerRung<std::uint64_t> rungs{};  ///< particles when the block began
  PerRung<std::uint64_t> now{};    ///< particles at present

 private:
  Phase rest_;
  double began_ = wall_time();
  std::uint64_t sent_ = Communicator::bytes_sent();
};

}  // namespace multiwalk
