// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/ring/ring_forces.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <future>
#include <semaphore>
#include <utility>

#include "host/base/phase_timer.hpp"

namespace multiwalk {

namespace {

/// Shorter sums end before another thread has started.
constexpr std::size_t worth_a_thread = std::size_t{1} << 27;

/// The results of the task's targets.
RingSums results_of(const DirectTask& task) {
  return {task.acceleration, task.jerk, task.potential};
}

/// The task's own sources; velocities if jerks are wanted.
RingSources sources_of(const DirectTask& task, bool velocities) {
  return {task.source_position, velocities ? task.source_velocity : std::span<const Vec3d>{}, task.source_mass};
}

/// The sum over some of the task's bodies among themselves.
DirectTask block_of(const DirectTask& task, BodyRange range, const RingSums& sums) {
  DirectTask some = task;
  some.source_position = some.target_position = part(task.source_position, range);
  some.source_velocity = some.target_velocity = part(task.source_velocity, range);
  some.source_mass = part(task.source_mass, range);
  some.target_mass = part(task.target_mass, range);
  some.acceleration = sums.acceleration;
  some.jerk = sums.jerk;
  some.potential = sums.potential;
  return some;
}

DirectBlock block(const RingSources& bodies, const RingSums& sums) {
  return {bodies.position, bodies.velocity, bodies.mass, sums.acceleration, sums.jerk, sums.potential};
}

}  // namespace

template <class Act>
auto RingForces::wait_for(const Act& act) {
  struct Count {
    double& waiting;
    double began = wall_time();
    ~Count() { waiting += wall_time() - began; }
  } count{counts_.waiting};
  return act();
}

void RingForces::wait_for_all(std::vector<Transfer>& transfers) {
  wait_for([&] {
    for (Transfer& transfer : transfers) transfer.wait();
  });
  transfers.clear();
}

void RingForces::sum(const DirectTask& task) {
  ++counts_.sums;
  if (comm_.alone()) {
    std::vector<Transfer> none;
    evaluate(task, none);
    return;
  }
  const Announced announced = announce(task);
  const std::uint64_t most_sources = *std::ranges::max_element(announced.sources), targets = announced.all.targets;
  if (4 * targets < announced.all.sources && targets <= 2 * most_sources) {
    move_targets(task, announced.wanted.jerk);
  } else if (announced.all.apart > 0) {
    move_sources(task, announced);
  } else {
    move_half_way(task, announced);
  }
}

RingForces::Announced RingForces::announce(const DirectTask& task) {
  const std::size_t sources = task.source_position.size(), targets = task.target_position.size();
  const bool apart = !task.mutual() && (sources > 0 || targets > 0);
  const Announcement own{sources,
                         targets,
                         task.acceleration.size(),
                         task.jerk.size(),
                         task.potential.size(),
                         static_cast<std::uint64_t>(apart)};
  Announced announced;
  for (const Announcement& rank : wait_for([&] { return comm_.all_gather(own); })) {
    announced.sources.push_back(rank.sources);
    announced.all.sources += rank.sources;
    announced.all.targets += rank.targets;
    announced.all.accelerations += rank.accelerations;
    announced.all.jerks += rank.jerks;
    announced.all.potentials += rank.potentials;
    announced.all.apart += rank.apart;
  }
  announced.wanted = {announced.all.accelerations > 0, announced.all.jerks > 0, announced.all.potentials > 0};
  return announced;
}

RingSources RingForces::exchange_sources(int step, const RingSources& held, const Announced& announced,
                                         std::vector<Transfer>& transfers) {
  const std::size_t count = announced.sources[static_cast<std::size_t>(rank_at(-step))];
  SourceMemory& memory = travellers_[static_cast<std::size_t>(step) % travellers_.size()];
  const RingSources coming = memory.receive(comm_, rank_at(-1), count, announced.wanted.jerk, transfers);
  held.send(comm_, rank_at(1), transfers);
  return coming;
}

void RingForces::move_sources(const DirectTask& task, const Announced& announced) {
  RingSources held = sources_of(task, announced.wanted.jerk);
  for (int step = 0; step < comm_.size(); ++step) {
    std::vector<Transfer> transfers;
    RingSources coming;
    if (step + 1 < comm_.size()) coming = exchange_sources(step + 1, held, announced, transfers);
    if (step == 0) {
      evaluate(task, transfers);
    } else {
      add(task, held, transfers);
    }
    wait_for_all(transfers);
    held = coming;
  }
}

void RingForces::move_half_way(const DirectTask& task, const Announced& announced) {
  const int last = last_step(), sums = last + 3;
  const RingSums results = results_of(task);
  results.clear();
  RingSources coming = sources_of(task, announced.wanted.jerk);
  std::vector<Transfer> transfers;
  Returning returning;
  Summation before;
  for (int step = 0; step <= sums; ++step) {
    wait_for_all(transfers);
    results.in(returning.bodies).add(returning.sums);
    returning = {};
    const RingSources held = coming;
    if (step < last) coming = exchange_sources(step + 1, held, announced, transfers);
    Summation next = step < sums ? summation(step, task, held, announced) : Summation{};
    evaluate(std::max(before.pairs, next.pairs), transfers, [&] {
      if (next.pairs > 0) next.finish = next.begin();
      if (before.pairs > 0) before.finish();
    });
    counts_.pairs += before.pairs;
    results.in(before.share.own).add(before.own);
    if (step - 1 > last) {
      results.in(before.share.held).add(before.held);
    } else if (step - 1 > 0) {
      returning = exchange_sums(step - 1, before.held, announced, transfers);
    }
    before = std::move(next);
  }
  wait_for_all(transfers);
  results.in(returning.bodies).add(returning.sums);
}

RingForces::Share RingForces::share(int rank, int step, const Announced& announced) const {
  const int origin = (rank - step + comm_.size()) % comm_.size();
  const std::size_t own = announced.sources[static_cast<std::size_t>(rank)];
  const std::size_t held = announced.sources[static_cast<std::size_t>(origin)];
  const std::size_t early = own < worth_splitting ? own : own / 10 * 7;
  const BodyRange first{0, early}, rest{early, own - early};
  if (step == 0) return {first, first};
  if (step == last_step() + 1) return {first, rest};
  if (step == last_step() + 2) return {rest, rest};
  if (2 * step != comm_.size()) return {{0, own}, {0, held}};
  if (rank < origin) return {{0, own}, {0, held / 2}};
  return {{own / 2, own - own / 2}, {0, held}};
}

RingForces::Summation RingForces::summation(int step, const DirectTask& task, const RingSources& held,
                                            const Announced& announced) {
  const bool within = step == 0 || step == last_step() + 2, between_ranks = step > 0 && step <= last_step();
  const Share share = this->share(comm_.rank(), step, announced);
  if (share.pairs() == 0) return {};
  const auto memory = static_cast<std::size_t>(step % 2);
  const WantedSums wanted = announced.wanted;
  Summation next;
  next.share = share;
  next.pairs = within ? share.pairs() : 2 * share.pairs();
  next.own = part_[memory].reserve(share.own.count, wanted);
  if (within) {
    next.begin = [this, block = block_of(task, share.own, next.own)] { return backend_.begin_sum(block); };
    return next;
  }
  next.held = leaving_[memory].reserve(share.held.count, wanted);
  const RingSources own = sources_of(task, wanted.jerk);
  const DirectCouple couple{block(own.in(share.own), next.own),
                            block((between_ranks ? held : own).in(share.held), next.held), task.softening2,
                            task.precision};
  next.begin = [this, couple] { return backend_.begin_sum_both(couple); };
  return next;
}

RingForces::Returning RingForces::exchange_sums(int step, const RingSums& leaving, const Announced& announced,
                                                std::vector<Transfer>& transfers) {
  leaving.send(comm_, rank_at(-step), transfers);
  const Share theirs = share(rank_at(step), step, announced);
  if (theirs.pairs() == 0) return {};
  const Returning returning{theirs.held, coming_.reserve(theirs.held.count, announced.wanted)};
  returning.sums.receive(comm_, rank_at(step), transfers);
  return returning;
}

void RingForces::move_targets(const DirectTask& task, bool velocities) {
  const auto ranks = static_cast<std::size_t>(comm_.size()), self = static_cast<std::size_t>(comm_.rank());
  const std::size_t own = task.target_position.size();
  std::vector<Visitor> leaving;
  for (std::size_t r = 0; r + 1 < ranks; ++r) {
    for (std::size_t i = 0; i < own; ++i) {
      leaving.push_back({task.target_position[i], task.target_velocity.empty() ? Vec3d{} : task.target_velocity[i]});
    }
  }
  std::vector<std::uint64_t> counts(ranks, own);
  counts[self] = 0;
  const auto visitors = wait_for([&] { return comm_.exchange(std::span<const Visitor>(leaving), std::span(counts)); });

  std::vector<Transfer> none;
  evaluate(task, none);
  const std::vector<PartialSum> sums = sums_on(visitors.data, task, velocities);
  const auto parts = wait_for([&] { return comm_.exchange(std::span<const PartialSum>(sums), visitors.count); });
  for (std::size_t k = 0; k < parts.data.size(); ++k) {
    const std::size_t i = k % own;
    if (!task.acceleration.empty()) task.acceleration[i] += parts.data[k].acceleration;
    if (!task.jerk.empty()) task.jerk[i] += parts.data[k].jerk;
    if (!task.potential.empty()) task.potential[i] += parts.data[k].potential;
  }
}

std::vector<RingForces::PartialSum> RingForces::sums_on(std::span<const Visitor> visitors, const DirectTask& task,
                                                        bool velocities) {
  const std::size_t n = visitors.size();
  std::vector<PartialSum> sums(n);
  if (task.source_position.empty()) return sums;
  std::vector<Vec3d> position(n), velocity(velocities ? n : 0), acceleration(n), jerk(velocity.size());
  std::vector<double> potential(n);
  for (std::size_t i = 0; i < n; ++i) position[i] = visitors[i].position;
  for (std::size_t i = 0; i < velocity.size(); ++i) velocity[i] = visitors[i].velocity;
  DirectTask part = task;
  part.target_position = position;
  part.target_velocity = velocity;
  part.target_mass = {};
  part.acceleration = acceleration;
  part.jerk = jerk;
  part.potential = potential;
  std::vector<Transfer> none;
  evaluate(part, none);
  for (std::size_t i = 0; i < n; ++i) sums[i] = {acceleration[i], velocities ? jerk[i] : Vec3d{}, potential[i]};
  return sums;
}

void RingForces::add(const DirectTask& task, const RingSources& sources, std::vector<Transfer>& transfers) {
  if (sources.position.empty()) return;
  const WantedSums wanted{!task.acceleration.empty(), !task.jerk.empty(), !task.potential.empty()};
  const RingSums sums = part_[0].reserve(task.target_position.size(), wanted);
  DirectTask part = task;
  part.source_position = sources.position;
  part.source_velocity = sources.velocity;
  part.source_mass = sources.mass;
  part.target_mass = {};
  part.acceleration = sums.acceleration;
  part.jerk = sums.jerk;
  part.potential = sums.potential;
  evaluate(part, transfers);
  results_of(task).add(sums);
}

void RingForces::evaluate(const DirectTask& task, std::vector<Transfer>& transfers) {
  const std::size_t pairs = task.target_position.size() * task.source_position.size();
  evaluate(pairs, transfers, [&] { backend_.sum(task); });
  counts_.pairs += pairs;
}

template <class Act>
void RingForces::evaluate(std::size_t pairs, std::vector<Transfer>& transfers, const Act& act) {
  if (pairs == 0) return;
  const double began = wall_time();
  if (pairs < worth_a_thread || transfers.empty()) {
    act();
  } else {
    drive_beside(transfers, act);
  }
  counts_.summing += wall_time() - began;
}

template <class Act>
void RingForces::drive_beside(std::vector<Transfer>& transfers, const Act& act) {
  if (!worker_) worker_.emplace();
  std::binary_semaphore summed{0};
  struct Driving {
    std::binary_semaphore& summed;
    std::future<void> done;
    ~Driving() {
      if (done.valid()) end();
    }
    void end() {
      summed.release();
      done.wait();
    }
  } driving{summed, worker_->run([&] { drive(transfers, summed); })};
  act();
  driving.end();
  driving.done.get();
}

void RingForces::drive(std::vector<Transfer>& transfers, std::binary_semaphore& until) {
  PollBackoff patience;
  std::chrono::microseconds pause{0};
  bool over = false;
  while (!over && !until.try_acquire_for(pause)) {
    pause = patience.after([&] {
      over = true;
      for (Transfer& transfer : transfers) over = transfer.done() && over;
    });
  }
}

}  // namespace multiwalk
