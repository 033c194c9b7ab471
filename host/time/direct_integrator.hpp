// SPDX-License-Identifier: GPL-3.0-or-later
// Integrators of direct N-body systems: a symplectic T+V scheme, leapfrog, and Hermite's with shared or block steps.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "host/particles/bodies.hpp"
#include "host/simd/direct_frame.hpp"
#include "host/time/direct_forces.hpp"

namespace multiwalk {

enum class DirectScheme {
  tv,             ///< drift, then kick (Kavanagh 2008): first order
  tv_half_kicks,  ///< the same, started and read with half kicks: second order, leapfrog's orbits up to rounding
  leapfrog,       ///< kick, drift, kick: second order
  hermite         ///< P(EC)^n (Makino & Aarseth 1992): fourth order
};

enum class DirectSteps {
  fixed,   ///< one length for all steps
  shared,  ///< Hermite only: one length for all bodies, from Aarseth's criterion
  block    ///< Hermite only: every body its own power of two of a common block
};

struct DirectOptions {
  DirectScheme scheme = DirectScheme::hermite;
  DirectSteps steps = DirectSteps::block;
  int iterations = 1;       ///< n of P(EC)^n
  double step = 0;          ///< fixed steps: length
  double eta = 0.02;        ///< dt = sqrt(eta (|a||a2| + |j|^2) / (|j||a3| + |a2|^2)) (Aarseth 1985)
  double eta_start = 0.01;  ///< first step: dt = eta_start |a|/|j|; bodies at rest: eta_start sqrt|potential|/|a|
  double max_step = std::numeric_limits<double>::infinity();
  double softening = 0;
  DirectPrecision precision;
};

/// Throws InputError naming the key (of section [time]) that cannot be used.
void check_options(const DirectOptions& options);

/// The state that a restart needs besides options and bodies to continue bit for bit.
struct DirectState {
  double time = 0;           ///< of the last (block) step
  bool started = false;      ///< forces and steps of the bodies are known
  bool half_kicked = false;  ///< tv_half_kicks: velocities are half a step ahead
  double step = 0;           ///< steps of one length for all: that of the last one
  double block_begin = 0;    ///< block steps: the current block, block_begin to block_end
  double block_end = 0;
  std::uint64_t tick = 0;          ///< block steps: time within the block, in ticks of 2^-40 of it
  std::vector<std::uint8_t> rung;  ///< (N) block steps: a body's step is a block / 2^rung
  /// Block steps on a device: the frame of its single-precision numbers in the present block.
  std::optional<DirectFrame> frame;
};

struct DirectCounts {
  std::uint64_t steps = 0;       ///< (block) steps of the system
  std::uint64_t body_steps = 0;  ///< steps of this process's bodies
};

class BlockStepper;

/// All functions that are not const are collective.
class DirectIntegrator {
 public:
  virtual ~DirectIntegrator() = default;
  DirectIntegrator(const DirectIntegrator&) = delete;
  DirectIntegrator& operator=(const DirectIntegrator&) = delete;

  /// One (block) step on the way to `to` > time(), which it never passes and in the end meets exactly. The same `to`
  /// until it is reached. The first call evaluates the forces first. Throws Error if a force is not finite.
  virtual void step(double to) = 0;
  /// Makes at least one step and at most `most`; returns how many. A device makes several in one call faster.
  virtual std::uint64_t steps(double to, [[maybe_unused]] std::uint64_t most) {
    step(to);
    return 1;
  }
  /// Steps until time() == to.
  void advance(double to) {
    while (state_.time < to) steps(to, std::numeric_limits<std::uint64_t>::max());
  }
  /// Forces and first steps at the present time, if there are none.
  void start();

  /// True if the positions and velocities of all bodies belong to time(), as they do whenever a requested time is
  /// reached.
  [[nodiscard]] virtual bool synchronised() const { return true; }
  /// Sets the potential of the (synchronised) bodies at their present positions, which does not affect the integration.
  /// Hermite's own potentials belong to the predicted positions.
  void evaluate_potential();
  /// (N) accelerations of the (synchronised) bodies at their current positions. Collective.
  [[nodiscard]] std::vector<Vec3d> present_accelerations();

  [[nodiscard]] double time() const { return state_.time; }
  /// Each at its own time: own_time().
  [[nodiscard]] const Bodies& bodies() const { return bodies_; }
  [[nodiscard]] virtual double own_time(std::size_t) const { return state_.time; }
  /// Length of a body's step.
  [[nodiscard]] virtual double own_step(std::size_t) const { return state_.step; }
  [[nodiscard]] const DirectState& state() const { return state_; }
  [[nodiscard]] const DirectCounts& counts() const { return counts_; }

 protected:
  DirectIntegrator(const DirectOptions& options, Bodies bodies, DirectState state, DirectForces& forces);
  /// Called when forces of all bodies at the present time are known.
  virtual void first_steps() {}
  /// End of the next step, at most `longest`, such that equal ones meet `to`.
  [[nodiscard]] double next_time(double to, double longest) const;

  DirectOptions options_;
  Bodies bodies_;
  DirectState state_;
  DirectCounts counts_;
  DirectForces& forces_;
};

/// Sets the potentials of this process's bodies at their places. Collective.
void evaluate_potential(const DirectOptions& options, Bodies& bodies, DirectForces& forces);

/// For this process's bodies; their acceleration, jerk and potential matter only if `state.started` (a restart). A
/// `stepper` (host/time/block_stepper.hpp), if given, makes the block steps that it can make. Both must outlive it.
std::unique_ptr<DirectIntegrator> make_direct_integrator(const DirectOptions& options, Bodies bodies, DirectState state,
                                                         DirectForces& forces, BlockStepper* stepper = nullptr);

}  // namespace multiwalk
