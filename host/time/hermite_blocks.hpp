// Hermite's scheme with block steps: every body steps by its own power of two of a block that ends at the times asked
// for (McMillan 1986; Makino 1991).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "host/time/hermite_step.hpp"

namespace multiwalk {

/// A step shortens at any time; it doubles where one of twice the length begins.
class HermiteBlocks : public DirectIntegrator {
 public:
  HermiteBlocks(const DirectOptions& options, Bodies bodies, DirectState state, DirectForces& forces);
  /// The next block step: of the bodies whose steps end first.
  void step(double to) override;
  [[nodiscard]] bool synchronised() const override { return state_.tick == 0 || state_.tick == ticks; }
  [[nodiscard]] double own_time(std::size_t body) const override;
  [[nodiscard]] double own_step(std::size_t body) const override { return step_length(state_.rung[body]); }

 private:
  static constexpr int deepest = 40;
  static constexpr std::uint64_t ticks = std::uint64_t{1} << deepest;
  static std::uint64_t step_ticks(int rung) { return ticks >> rung; }

  /// Time within the block.
  [[nodiscard]] double length(std::uint64_t of_ticks) const;
  [[nodiscard]] double step_length(int rung) const { return length(step_ticks(rung)); }
  void begin_block(double to);
  /// The deepest rung whose steps are no longer than `wanted`. Throws Error if there is none.
  [[nodiscard]] int rung_for(double wanted) const;
  /// Of a body whose step ends now.
  [[nodiscard]] int next_rung(int rung, double wanted) const;
  void find_active(int least_rung);
  /// Over all processes.
  [[nodiscard]] int deepest_in_use();

  HermiteStep hermite_;
  std::array<std::size_t, deepest + 1> bodies_on_{};  ///< by rung
};

}  // namespace multiwalk
