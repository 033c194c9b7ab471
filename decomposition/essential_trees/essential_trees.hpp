// SPDX-License-Identifier: GPL-3.0-or-later
// Exchange of local essential trees (Makino 2004): every rank cuts from its tree the part that walks of other ranks
// read, and receives their parts as one forest of sources.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/essential_trees/essential_cut.hpp"
#include "decomposition/essential_trees/essential_forest.hpp"
#include "decomposition/essential_trees/essential_statistics.hpp"
#include "decomposition/essential_trees/shared_cells.hpp"
#include "decomposition/essential_trees/tree_exchange_over_ranks.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/force/source_trees.hpp"

namespace multiwalk {

/// Approximate number of target boxes per rank.
inline constexpr std::uint32_t target_parts = 64;

/// Up to this number of ranks, all send cuts to all.
inline constexpr int all_send_to_all = 64;

/// One forest per evaluation, its trees in rank order. With many ranks, a rank whose particles are accepted as one cell
/// by every walk of another rank sends it nothing: all ranks know these cells, and the reader merges them into larger
/// ones. A rank whose particles are all beyond the cut-off of another's walks sends it nothing either.
class EssentialTrees final : public SourceTrees {
 public:
  /// With `far_from` ranks or fewer, all send cuts to all. Collective.
  explicit EssentialTrees(const Communicator& comm, int far_from = all_send_to_all)
      : comm_(comm), far_from_(far_from), exchange_(comm, statistics_) {}

  Cube cube(const Box& mine, double box_size) override;
  std::span<const std::uint32_t> begin(const LocalTree& local) override;
  void progress() override;
  const SourceTree* next() override;
  bool all(bool mine) override { return comm_.all(mine); }
  std::array<bool, 2> all_of(std::array<bool, 2> mine) override {
    std::array<int, 2> both{mine[0] ? 1 : 0, mine[1] ? 1 : 0};
    comm_.min(std::span<int>(both));
    return {both[0] != 0, both[1] != 0};
  }
  TreeExchange* exchange() override { return &exchange_; }

  /// For the last evaluation; complete once next has returned nullptr, or devices have exchanged their trees.
  [[nodiscard]] const EssentialStatistics& statistics() const { return statistics_; }

 private:
  /// The facts that every rank knows about every other.
  struct Domain {
    TargetBox target;
    EssentialNode root;
    std::uint64_t particles = 0;
    std::uint64_t boxes = 0;  ///< number of its target boxes
  };
  struct Counts {
    std::uint64_t nodes = 0, particles = 0;
  };
  struct Outgoing {
    EssentialCut cut;
    Counts counts;
    std::vector<Transfer> transfers;
  };
  struct Incoming {
    int rank = 0;
    Counts counts;
    Transfer header;
    LargeArray<EssentialNode> node;
    LargeArray<EssentialParticle> particle;
    std::vector<Transfer> data;
  };

  [[nodiscard]] Need need(int owner, int reader) const;
  /// True if `owner` sends `reader` a tree.
  [[nodiscard]] bool near(int owner, int reader) const;
  /// (ranks) whether each is near a reader, which counts as near itself.
  [[nodiscard]] std::vector<bool> all_near(int reader) const;
  void describe_domains(const LocalTree& local, const std::vector<TargetBox>& mine);
  void find_shared_cells(const LocalTree& local);
  [[nodiscard]] std::vector<std::vector<TargetBox>> exchange_targets(const std::vector<TargetBox>& mine);
  void send_cuts(const LocalTree& local, const std::vector<std::vector<TargetBox>>& targets);
  void expect_cuts();
  void gather_far(const GravityOptions& options);
  bool receive();
  void assemble();

  Communicator comm_;
  int far_from_;
  std::vector<Box> box_;  ///< (ranks) boxes around their particles
  std::vector<Domain> domains_;
  SharedCells shared_;
  Cube cube_;
  WalkRules rules_;
  EssentialCutter cutter_;
  std::vector<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;
  std::vector<EssentialNode> far_;
  EssentialForest forest_;
  bool arrived_ = false, given_ = false;
  double began_ = 0, polled_ = 0;
  EssentialStatistics statistics_;
  TreeExchangeOverRanks exchange_;
};

}  // namespace multiwalk
