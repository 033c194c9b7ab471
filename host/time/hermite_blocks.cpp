// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/time/hermite_blocks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "host/base/error.hpp"
#include "host/text/plain_number.hpp"
#include "host/time/hermite.hpp"
#include "host/time/step_control.hpp"

namespace multiwalk {

HermiteBlocks::HermiteBlocks(const DirectOptions& options, Bodies bodies, DirectState state, DirectForces& forces,
                             BlockStepper* stepper)
    : DirectIntegrator(options, std::move(bodies), std::move(state), forces),
      stepper_(stepper != nullptr && stepper->takes(options_, bodies_.size()) ? stepper : nullptr) {
  state_.rung.resize(bodies_.size(), 0);
  count_rungs();
}

void HermiteBlocks::count_rungs() {
  bodies_on_.fill(0);
  for (const std::uint8_t rung : state_.rung) {
    require(rung <= deepest, "a body's rung is deeper than any");
    ++bodies_on_[rung];
  }
}

double HermiteBlocks::own_time(std::size_t body) const {
  if (synchronised()) return state_.time;
  return block().time_at(BlockTicks::begin_of_step(state_.tick, state_.rung[body]));
}

void HermiteBlocks::step(double to) {
  be_in_block(to);
  const std::uint64_t last = state_.tick;
  state_.tick += BlockTicks::step_ticks(deepest_in_use());
  move_clock();

  std::array<double, deepest + 1> elapsed;  // since the last step of the bodies on a rung
  for (int k = 0; k <= deepest; ++k) {
    elapsed[static_cast<std::size_t>(k)] = block().length(state_.tick - BlockTicks::begin_of_step(last, k));
  }
  find_active(std::max(0, deepest - std::countr_zero(state_.tick)));
  hermite_.step(options_, state_.rung, elapsed, forces_, bodies_);
  for (std::size_t k = 0; k < hermite_.active.size(); ++k) {
    std::uint8_t& rung = state_.rung[hermite_.active[k]];
    --bodies_on_[rung];
    rung = static_cast<std::uint8_t>(next_rung(rung, hermite_.wanted[k]));
    ++bodies_on_[rung];
  }
  ++counts_.steps;
  counts_.body_steps += hermite_.active.size();
}

std::uint64_t HermiteBlocks::steps(double to, std::uint64_t most) {
  if (stepper_ == nullptr) return DirectIntegrator::steps(to, most);
  be_in_block(to);
  const BlockSteps done = stepper_->steps(options_, bodies_, state_, most);
  move_clock();
  count_rungs();
  forces_.count(done.made.steps, done.made.body_steps * bodies_.size(), done.seconds);
  counts_.steps += done.made.steps;
  counts_.body_steps += done.made.body_steps;
  return done.made.steps;
}

void HermiteBlocks::move_clock() {
  const double before = std::exchange(state_.time, block().time_at(state_.tick));
  require_moving_clock(state_.time > before);
}

void HermiteBlocks::be_in_block(double to) {
  start();
  if (synchronised()) begin_block(to);
  require(state_.block_end <= to, "a block must end before another time is asked for");
}

void HermiteBlocks::begin_block(double to) {
  const double before = state_.block_end - state_.block_begin;
  state_.tick = 0;
  state_.frame.reset();
  state_.block_begin = state_.time;
  state_.block_end = next_time(to, options_.max_step);
  if (before > 0) {
    const double now = state_.block_end - state_.block_begin;
    const int deeper = static_cast<int>(std::ceil(std::log2(now / before) - 1e-6));
    for (std::uint8_t& rung : state_.rung) rung = static_cast<std::uint8_t>(std::clamp(rung + deeper, 0, deepest));
  } else {
    choose_first_rungs();
  }
  count_rungs();
}

/// The jerk of a body at rest, or nearly so, does not show how soon its neighbours will move: if free fall gives the
/// shorter step, the body takes the shortest first step of all. A body on which forces cancel among others at rest has
/// the same problem: its step is at most the shortest free-fall step of those.
void HermiteBlocks::choose_first_rungs() {
  constexpr double resting = 0.1;  // below this ratio of the steps by fall and by jerk, a body is at rest
  std::vector<double> by_jerk(bodies_.size()), by_fall(bodies_.size());
  double shortest = INFINITY, shortest_at_rest = INFINITY;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Vec3d& acceleration = bodies_.acceleration[i];
    by_jerk[i] = first_step(acceleration, bodies_.jerk[i], bodies_.potential[i], options_.eta_start);
    by_fall[i] = fall_step(acceleration, bodies_.potential[i], options_.eta_start);
    shortest = std::min({shortest, by_jerk[i], by_fall[i]});
    if (by_fall[i] < resting * by_jerk[i]) shortest_at_rest = std::min(shortest_at_rest, by_fall[i]);
  }
  shortest = forces_.min(shortest);
  shortest_at_rest = forces_.min(shortest_at_rest);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const bool cold = by_fall[i] < by_jerk[i] || std::isinf(by_jerk[i]);
    const double wanted = cold ? shortest : std::min(by_jerk[i], shortest_at_rest);
    state_.rung[i] = static_cast<std::uint8_t>(first_rung(wanted));
  }
}

int HermiteBlocks::usable(int rung, double wanted, const char* eta) const {
  if (rung > deepest) {
    throw Error("at time " + text_of(state_.time) + " a body needs a step of " + text_of(wanted) +
                ", shorter than the shortest, 2^-" + std::to_string(deepest) + " of the longest: take a larger " + eta +
                " or softening");
  }
  return rung;
}

int HermiteBlocks::first_rung(double wanted) const {
  return usable(block().rung_for(wanted), wanted, "time.eta_start");
}

int HermiteBlocks::next_rung(int rung, double wanted) const {
  return usable(block().next_rung(rung, state_.tick, wanted), wanted, "time.eta");
}

void HermiteBlocks::find_active(int least_rung) {
  std::vector<std::uint32_t>& active = hermite_.active;
  active.resize(bodies_.size());
  std::size_t n = 0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    active[n] = static_cast<std::uint32_t>(i);
    n += state_.rung[i] >= least_rung ? 1 : 0;
  }
  active.resize(n);
}

int HermiteBlocks::deepest_in_use() {
  int rung = deepest;
  while (rung > 0 && bodies_on_[static_cast<std::size_t>(rung)] == 0) --rung;
  return -static_cast<int>(forces_.min(-rung));
}

}  // namespace multiwalk
