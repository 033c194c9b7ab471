// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks that are threads of one process, and what their devices send each other.
#pragma once

#include <barrier>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "host/force/source_trees.hpp"
#include "host/force/tree_exchange.hpp"

namespace multiwalk::test {

/// The memory that all ranks share.
struct SharedBoard {
  explicit SharedBoard(std::size_t ranks, bool on_one_host = true)
      : on_one_host(on_one_host), barrier(static_cast<std::ptrdiff_t>(ranks)), bytes(ranks), parts(ranks) {}

  bool on_one_host;  ///< whether ranks may read each other's device memory
  std::barrier<> barrier;
  std::vector<std::vector<std::byte>> bytes;                   ///< (ranks)
  std::vector<std::vector<std::span<const std::byte>>> parts;  ///< (ranks) for each rank
};

/// Other ranks' trees as one of the threads sees them.
class ThreadTrees final : public SourceTrees, private TreeExchange {
 public:
  ThreadTrees(SharedBoard& board, std::size_t rank) : board_(board), rank_(rank) {}

  ExchangedParts recorded;

  Cube cube(const Box& mine, double box_size) override {
    if (box_size > 0) return periodic_cube(box_size);
    Box all;
    for (const Box& box : gather(mine)) all.include(box);
    return enclosing_cube(all);
  }
  bool all(bool mine) override {
    bool all = true;
    for (const char one : gather(static_cast<char>(mine))) all = all && one != 0;
    return all;
  }
  TreeExchange* exchange() override { return this; }
  // The host exchanges nothing here.
  std::span<const std::uint32_t> begin(const LocalTree& /*local*/) override { return {}; }
  void progress() override {}
  const SourceTree* next() override { return nullptr; }

 private:
  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::size_t ranks() const override { return board_.bytes.size(); }
  [[nodiscard]] bool on_one_host() const override { return board_.on_one_host; }
  std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> mine) override {
    board_.bytes[rank_].assign(mine.begin(), mine.end());
    board_.barrier.arrive_and_wait();
    auto all = board_.bytes;
    board_.barrier.arrive_and_wait();
    return all;
  }
  std::vector<std::byte> all_gather_same(std::span<const std::byte> mine) override {
    std::vector<std::byte> all;
    for (const std::vector<std::byte>& one : all_gather(mine)) all.insert(all.end(), one.begin(), one.end());
    return all;
  }
  void transfer(std::span<const std::span<const std::byte>> out, std::span<const std::span<std::byte>> in) override {
    board_.parts[rank_].assign(out.begin(), out.end());
    board_.barrier.arrive_and_wait();
    for (std::size_t r = 0; r < in.size(); ++r) {
      if (!in[r].empty()) std::memcpy(in[r].data(), board_.parts[r][rank_].data(), in[r].size());
    }
    board_.barrier.arrive_and_wait();
  }
  void record(const ExchangedParts& parts) override { recorded = parts; }

  SharedBoard& board_;
  std::size_t rank_;
};

/// Runs act(rank) by as many threads as there are ranks.
inline void on_ranks(std::size_t ranks, const std::function<void(std::size_t)>& act) {
  std::vector<std::jthread> threads;
  for (std::size_t r = 0; r < ranks; ++r) threads.emplace_back([&act, r] { act(r); });
}

}  // namespace multiwalk::test
