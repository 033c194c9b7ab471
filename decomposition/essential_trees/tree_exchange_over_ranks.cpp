// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/essential_trees/tree_exchange_over_ranks.hpp"

#include <utility>

#include "host/base/phase_timer.hpp"

namespace multiwalk {

namespace {

constexpr int part_tag = 5;

}  // namespace

std::vector<std::vector<std::byte>> TreeExchangeOverRanks::all_gather(std::span<const std::byte> mine) {
  const double began = wall_time();
  const auto ranks = this->ranks();
  std::vector<std::byte> copies;
  copies.reserve(ranks * mine.size());
  for (std::size_t r = 0; r < ranks; ++r) copies.insert(copies.end(), mine.begin(), mine.end());
  const std::vector<std::uint64_t> counts(ranks, mine.size());
  const Received<std::byte> received =
      comm_.exchange(std::span<const std::byte>(copies), std::span<const std::uint64_t>(counts));
  std::vector<std::vector<std::byte>> all;
  auto next = received.data.begin();
  for (const std::uint64_t count : received.count) {
    all.emplace_back(next, next + static_cast<std::ptrdiff_t>(count));
    next += static_cast<std::ptrdiff_t>(count);
  }
  waited_ += wall_time() - began;
  return all;
}

std::vector<std::byte> TreeExchangeOverRanks::all_gather_same(std::span<const std::byte> mine) {
  const double began = wall_time();
  std::vector<std::byte> all = comm_.all_gather(mine);
  waited_ += wall_time() - began;
  return all;
}

void TreeExchangeOverRanks::transfer(std::span<const std::span<const std::byte>> out,
                                     std::span<const std::span<std::byte>> in) {
  const double began = wall_time();
  const int ranks = comm_.size();
  std::vector<Transfer> transfers;
  for (int step = 1; step < ranks; ++step) {
    const int from = (comm_.rank() + ranks - step) % ranks;
    transfers.push_back(comm_.receive(in[static_cast<std::size_t>(from)], from, part_tag));
  }
  for (int step = 1; step < ranks; ++step) {
    const int to = (comm_.rank() + step) % ranks;
    transfers.push_back(comm_.send(out[static_cast<std::size_t>(to)], to, part_tag));
  }
  for (Transfer& transfer : transfers) transfer.wait();
  waited_ += wall_time() - began;
}

void TreeExchangeOverRanks::record(const ExchangedParts& parts) {
  statistics_ = {};
  statistics_.nodes_sent = parts.nodes_sent;
  statistics_.particles_sent = parts.particles_sent;
  statistics_.bytes_sent = parts.bytes_sent;
  statistics_.nodes_received = parts.nodes_received;
  statistics_.particles_received = parts.particles_received;
  statistics_.bytes_received = parts.bytes_received;
  statistics_.ranks_near = ranks() - 1;
  statistics_.in_flight = statistics_.waited = std::exchange(waited_, 0);
}

}  // namespace multiwalk
