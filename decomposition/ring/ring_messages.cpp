// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/ring/ring_messages.hpp"

#include <algorithm>

#include "host/threads/worth_threads.hpp"

namespace multiwalk {

namespace {

constexpr int position_tag = 1, velocity_tag = 2, mass_tag = 3;
constexpr int acceleration_tag = 4, jerk_tag = 5, potential_tag = 6;

template <class T>
std::span<T> grown(std::vector<T>& memory, std::size_t count) {
  memory.resize(std::max(memory.size(), count));
  return std::span(memory).first(count);
}

template <class T>
void clear_all(std::span<T> sums) {
#pragma omp parallel for schedule(static) if (sums.size() >= worth_threads)
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = {};
}

template <class T>
void add_to(std::span<T> sums, std::span<T> others) {
  if (sums.empty() || others.empty()) return;
#pragma omp parallel for schedule(static) if (sums.size() >= worth_threads)
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += others[i];
}

template <class T>
void send_some(const Communicator& comm, std::span<T> data, int to, int tag, std::vector<Transfer>& transfers) {
  if (!data.empty()) transfers.push_back(comm.send(std::span<const T>(data), to, tag));
}

template <class T>
void receive_some(const Communicator& comm, std::span<T> data, int from, int tag, std::vector<Transfer>& transfers) {
  if (!data.empty()) transfers.push_back(comm.receive(data, from, tag));
}

}  // namespace

void RingSources::send(const Communicator& comm, int to, std::vector<Transfer>& transfers) const {
  send_some(comm, position, to, position_tag, transfers);
  send_some(comm, velocity, to, velocity_tag, transfers);
  send_some(comm, mass, to, mass_tag, transfers);
}

RingSources SourceMemory::receive(const Communicator& comm, int from, std::size_t count, bool velocities,
                                  std::vector<Transfer>& transfers) {
  const std::span position = grown(position_, count), velocity = grown(velocity_, velocities ? count : 0);
  const std::span mass = grown(mass_, count);
  receive_some(comm, position, from, position_tag, transfers);
  receive_some(comm, velocity, from, velocity_tag, transfers);
  receive_some(comm, mass, from, mass_tag, transfers);
  return {position, velocity, mass};
}

void RingSums::clear() const {
  clear_all(acceleration);
  clear_all(jerk);
  clear_all(potential);
}

void RingSums::add(const RingSums& sums) const {
  add_to(acceleration, sums.acceleration);
  add_to(jerk, sums.jerk);
  add_to(potential, sums.potential);
}

void RingSums::send(const Communicator& comm, int to, std::vector<Transfer>& transfers) const {
  send_some(comm, acceleration, to, acceleration_tag, transfers);
  send_some(comm, jerk, to, jerk_tag, transfers);
  send_some(comm, potential, to, potential_tag, transfers);
}

void RingSums::receive(const Communicator& comm, int from, std::vector<Transfer>& transfers) const {
  receive_some(comm, acceleration, from, acceleration_tag, transfers);
  receive_some(comm, jerk, from, jerk_tag, transfers);
  receive_some(comm, potential, from, potential_tag, transfers);
}

RingSums SumMemory::reserve(std::size_t count, WantedSums wanted) {
  return {grown(acceleration_, wanted.acceleration ? count : 0), grown(jerk_, wanted.jerk ? count : 0),
          grown(potential_, wanted.potential ? count : 0)};
}

}  // namespace multiwalk
