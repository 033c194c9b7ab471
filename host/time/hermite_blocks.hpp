// SPDX-License-Identifier: GPL-3.0-or-later
// Hermite's scheme with block steps: every body steps by its own power-of-two fraction of a block that ends at the
// requested times (McMillan 1986; Makino 1991).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "host/time/block_stepper.hpp"
#include "host/time/block_ticks.hpp"
#include "host/time/hermite_step.hpp"

namespace multiwalk {

class HermiteBlocks : public DirectIntegrator {
 public:
  /// `stepper`: makes the steps that it can make; may be null.
  HermiteBlocks(const DirectOptions& options, Bodies bodies, DirectState state, DirectForces& forces,
                BlockStepper* stepper);
  /// The next block step, made by the bodies whose steps end first.
  void step(double to) override;
  std::uint64_t steps(double to, std::uint64_t most) override;
  [[nodiscard]] bool synchronised() const override { return state_.tick == 0 || state_.tick == BlockTicks::ticks; }
  [[nodiscard]] double own_time(std::size_t body) const override;
  [[nodiscard]] double own_step(std::size_t body) const override { return block().step_length(state_.rung[body]); }

 private:
  static constexpr int deepest = BlockTicks::deepest;

  [[nodiscard]] BlockTicks block() const { return {state_.block_begin, state_.block_end}; }
  /// Begins a block unless one is in progress.
  /// Sets the time to that of the present tick, which must be later. Throws Error.
  void move_clock();
  void be_in_block(double to);
  void begin_block(double to);
  void choose_first_rungs();
  /// As in BlockTicks. Throws Error if no rung is deep enough.
  [[nodiscard]] int first_rung(double wanted) const;
  [[nodiscard]] int next_rung(int rung, double wanted) const;
  /// `eta`: the parameter from which `wanted` follows.
  [[nodiscard]] int usable(int rung, double wanted, const char* eta) const;
  void find_active(int least_rung);
  void count_rungs();
  /// Over all processes.
  [[nodiscard]] int deepest_in_use();

  BlockStepper* stepper_;
  HermiteStep hermite_;
  std::array<std::size_t, deepest + 1> bodies_on_{};  ///< by rung
};

}  // namespace multiwalk
