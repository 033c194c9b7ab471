#include "decomposition/ring_forces.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <future>

#include "host/base/phase_timer.hpp"

namespace multiwalk {

namespace {

constexpr int position_tag = 1, velocity_tag = 2, mass_tag = 3;

/// Shorter sums are over before another thread has begun.
constexpr std::size_t worth_a_thread = std::size_t{1} << 27;

/// `memory` of the same shape as the wanted results.
template <class T>
std::span<T> like(std::span<T> results, std::vector<T>& memory) {
  memory.resize(std::max(memory.size(), results.size()));
  return std::span(memory).first(results.size());
}

template <class T>
void add_to(std::span<T> results, std::span<const T> part) {
  for (std::size_t i = 0; i < results.size(); ++i) results[i] += part[i];
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

void RingForces::sum(const DirectTask& task) {
  ++counts_.sums;
  if (comm_.alone()) {
    std::vector<Transfer> none;
    evaluate(task, none);
    return;
  }
  const Announcement own{task.source_position.size(), task.target_position.size(), task.source_velocity.size()};
  const std::vector<Announcement> announced = wait_for([&] { return comm_.all_gather(own); });
  Announcement all{};
  for (const Announcement& rank : announced) {
    all.sources += rank.sources;
    all.targets += rank.targets;
    all.velocities += rank.velocities;
  }
  if (4 * all.targets < all.sources) {
    move_targets(task, all.velocities > 0);
  } else {
    move_sources(task, announced, all.velocities > 0);
  }
}

void RingForces::move_sources(const DirectTask& task, const std::vector<Announcement>& announced, bool velocities) {
  const int ranks = comm_.size();
  Sources held{task.source_position, task.source_velocity, task.source_mass};
  for (int hop = 0; hop < ranks; ++hop) {
    const auto origin = static_cast<std::size_t>((comm_.rank() - hop - 1 + ranks) % ranks);
    std::vector<Transfer> transfers;
    Sources coming;
    if (hop + 1 < ranks) {
      Travellers& memory = travellers_[static_cast<std::size_t>(hop % 2)];
      coming = receive(memory, announced[origin].sources, velocities, transfers);
      send(held, velocities, transfers);
    }
    if (hop == 0) {
      evaluate(task, transfers);
    } else {
      add(task, held, transfers);
    }
    wait_for([&] {
      for (Transfer& transfer : transfers) transfer.wait();
    });
    held = coming;
  }
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

RingForces::Sources RingForces::receive(Travellers& into, std::size_t count, bool velocities,
                                        std::vector<Transfer>& transfers) const {
  const int previous = (comm_.rank() - 1 + comm_.size()) % comm_.size();
  into.position.resize(count);
  into.velocity.resize(velocities ? count : 0);
  into.mass.resize(count);
  transfers.push_back(comm_.receive(std::span(into.position), previous, position_tag));
  if (velocities) transfers.push_back(comm_.receive(std::span(into.velocity), previous, velocity_tag));
  transfers.push_back(comm_.receive(std::span(into.mass), previous, mass_tag));
  return {into.position, into.velocity, into.mass};
}

void RingForces::send(const Sources& sources, bool velocities, std::vector<Transfer>& transfers) const {
  const int next = (comm_.rank() + 1) % comm_.size();
  transfers.push_back(comm_.send(sources.position, next, position_tag));
  if (velocities) transfers.push_back(comm_.send(sources.velocity, next, velocity_tag));
  transfers.push_back(comm_.send(sources.mass, next, mass_tag));
}

void RingForces::add(const DirectTask& task, const Sources& sources, std::vector<Transfer>& transfers) {
  if (sources.position.empty()) return;
  DirectTask part = task;
  part.source_position = sources.position;
  part.source_velocity = sources.velocity;
  part.source_mass = sources.mass;
  part.target_mass = {};
  part.acceleration = like(task.acceleration, acceleration_);
  part.jerk = like(task.jerk, jerk_);
  part.potential = like(task.potential, potential_);
  evaluate(part, transfers);
  add_to<Vec3d>(task.acceleration, part.acceleration);
  add_to<Vec3d>(task.jerk, part.jerk);
  add_to<double>(task.potential, part.potential);
}

void RingForces::evaluate(const DirectTask& task, std::vector<Transfer>& transfers) {
  const std::size_t pairs = task.target_position.size() * task.source_position.size();
  if (pairs == 0) return;
  const double began = wall_time();
  if (pairs < worth_a_thread || transfers.empty()) {
    backend_.sum(task);
  } else {
    auto summed = std::async(std::launch::async, [&] { backend_.sum(task); });
    while (summed.wait_for(std::chrono::microseconds(50)) != std::future_status::ready) {
      for (Transfer& transfer : transfers) transfer.done();
    }
    summed.get();
  }
  counts_.summing += wall_time() - began;
  counts_.pairs += pairs;
}

}  // namespace multiwalk
