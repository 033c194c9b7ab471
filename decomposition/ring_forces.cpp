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

/// What every rank must know of every other before blocks travel.
struct Announcement {
  std::uint64_t sources, velocities;
};

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

void RingForces::sum(const DirectTask& task) {
  ++counts_.sums;
  if (comm_.alone()) {
    std::vector<Transfer> none;
    evaluate(task, none);
    return;
  }
  const auto waits = [&](auto&& act) {
    const double began = wall_time();
    act();
    counts_.waiting += wall_time() - began;
  };
  std::vector<Announcement> announced;
  waits([&] { announced = comm_.all_gather(Announcement{task.source_position.size(), task.source_velocity.size()}); });
  const bool velocities = std::any_of(announced.begin(), announced.end(), [](auto a) { return a.velocities > 0; });

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
    waits([&] {
      for (Transfer& transfer : transfers) transfer.wait();
    });
    held = coming;
  }
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
