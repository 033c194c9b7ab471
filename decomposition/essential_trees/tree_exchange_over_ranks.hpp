// SPDX-License-Identifier: GPL-3.0-or-later
// The messages of TreeExchange by MPI.
#pragma once

#include "decomposition/essential_trees/essential_statistics.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/force/tree_exchange.hpp"

namespace multiwalk {

class TreeExchangeOverRanks final : public TreeExchange {
 public:
  /// Records go to `statistics`, which must outlive it. Collective.
  TreeExchangeOverRanks(const Communicator& comm, EssentialStatistics& statistics)
      : comm_(comm), on_one_host_(comm.all(comm.on_this_host().size() == comm.size())), statistics_(statistics) {}
  TreeExchangeOverRanks(const TreeExchangeOverRanks&) = delete;
  TreeExchangeOverRanks& operator=(const TreeExchangeOverRanks&) = delete;

  [[nodiscard]] std::size_t rank() const override { return static_cast<std::size_t>(comm_.rank()); }
  [[nodiscard]] std::size_t ranks() const override { return static_cast<std::size_t>(comm_.size()); }
  [[nodiscard]] bool on_one_host() const override { return on_one_host_; }
  std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> mine) override;
  std::vector<std::byte> all_gather_same(std::span<const std::byte> mine) override;
  void transfer(std::span<const std::span<const std::byte>> out, std::span<const std::span<std::byte>> in) override;
  void record(const ExchangedParts& parts) override;

 private:
  Communicator comm_;
  bool on_one_host_;
  EssentialStatistics& statistics_;
  double waited_ = 0;  ///< s in messages since the last record
};

}  // namespace multiwalk
