// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks of a run with block steps.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "host/base/phase_timer.hpp"
#include "host/time/rungs.hpp"
#include "run/evolve/simulation.hpp"
#include "run/machine/memory_limit.hpp"

namespace multiwalk {

namespace {

/// The start of a block is kept if it takes less than this part of the memory.
constexpr std::size_t part_of_memory = 16;

std::size_t bytes_of(const ParticleStore& particles) {
  std::size_t bytes = 0;
  particles.for_each_array([&](const char*, const auto& array) { bytes += array.size() * sizeof(array[0]); });
  return bytes;
}

}  // namespace

std::optional<double> Simulation::step_on_rungs(double next, StepFigures& figures) {
  const Block block(time(), next, comoving());
  const auto factor = [&](double from, double to) { return motion_.kick_factor(block.at(from), block.at(to)); };
  if (cuts_begin_blocks() && cuts_are_due()) distribute(figures, true);
  keep_start_of_block();
  const double began = wall_time();
  stay_on_devices();
  saturated_ = false;
  int deepest = assign_rungs(block, 0, figures);
  figures.rungs = figures.now;
  particles_.move(KickLongRange{factor(0, 0.5 * Block::ticks)});
  for (std::uint32_t tick = 0; tick < Block::ticks;) {
    PerRung<double> kicks{};
    for (int rung = synchronised_rung(tick); rung <= deepest; ++rung) {
      kicks[static_cast<std::size_t>(rung)] = factor(tick, tick + 0.5 * step_ticks(rung));
    }
    particles_.move(KickRungs{kicks, background(), synchronised_rung(tick)});
    require_moving_clock(block.at(tick + step_ticks(deepest)) > block.at(tick));
    tick += step_ticks(deepest);
    drift_to(block.at(tick), figures);
    const int synchronised = synchronised_rung(tick);
    accelerate(figures, synchronised);
    for (int rung = synchronised; rung <= deepest; ++rung) {
      kicks[static_cast<std::size_t>(rung)] = factor(tick - 0.5 * step_ticks(rung), tick);
    }
    particles_.move(KickRungs{kicks, background(), synchronised});
    if (synchronised > 0) deepest = assign_rungs(block, synchronised, figures);
    ++figures.substeps;
    const double done = static_cast<double>(tick) / Block::ticks;
    if (done < 1 && block_watch_ && block_watch_({figures.substeps, done, wall_time() - began, deepest, kept_start_})) {
      abandon_block();
      return std::nullopt;
    }
  }
  block_seconds_ = wall_time() - began;
  particles_.move(KickLongRange{factor(0.5 * Block::ticks, Block::ticks)});
  return std::nullopt;
}

/// An observer has seen the drifts of a block, which cannot be taken back.
void Simulation::keep_start_of_block() {
  abandoned_ = false;
  const std::size_t usable = usable_memory();
  const bool cheap = start_is_worth_keeping(particles_.on_device(), block_seconds_, keeping_seconds_);
  const bool fits = usable == 0 || bytes_of(particles_.identities()) <= usable / part_of_memory;
  kept_start_ = block_watch_ && observer_ == nullptr && comm_.all(cheap && fits);
  if (kept_start_) {
    const double began = wall_time();
    start_of_block_ = {particles_.on_host(), next_staying_};
    keeping_seconds_ = wall_time() - began;
  } else {
    start_of_block_ = {};
  }
}

void Simulation::abandon_block() {
  abandoned_ = true;
  if (!kept_start_) return;
  particles_.replace(std::move(start_of_block_.system));
  next_staying_ = start_of_block_.next_staying;
}

int Simulation::assign_rungs(const Block& block, int synchronised, StepFigures& figures) {
  const double scale = comoving() ? step_scale(expansion_, time(), softening(), step_options())
                                  : step_scale(softening(), step_options());
  const RungCriterion criterion{block.length(), scale, parameters_.time.min_step};
  figures.now = particles_.assign_rungs(criterion, background(), synchronised);
  int deepest = deepest_rung;
  while (deepest > 0 && figures.now[static_cast<std::size_t>(deepest)] == 0) --deepest;
  deepest = comm_.max(deepest);
  if (deepest == deepest_rung && !saturated_) require_resolvable_steps(scale);
  saturated_ = saturated_ || deepest == deepest_rung;
  return deepest;
}

/// The deepest rung stands for all shorter steps, even for those by which the clock would not move.
void Simulation::require_resolvable_steps(double scale) {
  const double own = particles_.largest_pull(background());
  const double step = std::max(scale / std::sqrt(comm_.max(own)), parameters_.time.min_step);
  require_moving_clock(comoving() ? time() * std::exp(step) > time() : time() + step > time());
}

}  // namespace multiwalk
