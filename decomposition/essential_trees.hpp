// Local essential trees exchanged between ranks (Makino 2004): every rank cuts from its tree what the others' walks
// read, and receives theirs as one forest of sources.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/communicator.hpp"
#include "decomposition/essential_cut.hpp"
#include "decomposition/essential_forest.hpp"
#include "host/force/source_trees.hpp"

namespace multiwalk {

/// What one evaluation's exchange was, on this rank.
struct EssentialStatistics {
  std::uint64_t nodes_sent = 0, particles_sent = 0, bytes_sent = 0;
  std::uint64_t nodes_received = 0, particles_received = 0;
  std::uint64_t ranks_near = 0;  ///< that sent a tree
  std::uint64_t ranks_far = 0;   ///< whose root is enough
  double in_flight = 0;          ///< seconds from the first message to the last arrival
  double waited = 0;             ///< of them, seconds in which this rank did nothing else

  /// Part of the communication time that work hid.
  [[nodiscard]] double hidden() const { return in_flight > 0 ? 1 - waited / in_flight : 0; }
};

/// Domains whose root cell is accepted by every walk of another get no message from it: their roots are known to all
/// and merged into far cells. The others exchange cuts. One forest per evaluation, its trees in rank order.
class EssentialTrees final : public SourceTrees {
 public:
  explicit EssentialTrees(const Communicator& comm) : comm_(comm) {}

  void begin(const LocalTree& local) override;
  void progress() override;
  const SourceTree* next() override;
  bool all(bool mine) override { return comm_.all(mine); }

  /// Of the last evaluation, complete once next has returned nullptr.
  [[nodiscard]] const EssentialStatistics& statistics() const { return statistics_; }

 private:
  /// What every rank knows of every other.
  struct Domain {
    TargetBox target;
    EssentialNode root;
    std::uint64_t particles = 0;
    std::uint64_t boxes = 0;  ///< how many target boxes it has
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
    std::vector<EssentialNode> node;
    std::vector<EssentialParticle> particle;
    std::vector<Transfer> data;
  };

  /// True if `reader` needs more of `owner` than its root.
  [[nodiscard]] bool near(const Domain& owner, const Domain& reader) const;
  [[nodiscard]] std::vector<Domain> describe_domains(const LocalTree& local, const std::vector<TargetBox>& mine);
  [[nodiscard]] std::vector<std::vector<TargetBox>> exchange_targets(const std::vector<Domain>& domains,
                                                                     const std::vector<TargetBox>& mine);
  void send_cuts(const LocalTree& local, const std::vector<std::vector<TargetBox>>& targets);
  void expect_cuts(const std::vector<Domain>& domains);
  void gather_far(const std::vector<Domain>& domains, const GravityOptions& options);
  bool receive();
  void assemble();

  Communicator comm_;
  Mac mac_ = Mac::barnes90;
  double gravitational_constant_ = 1;
  std::vector<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;
  std::vector<EssentialNode> far_;
  EssentialForest forest_;
  bool headers_done_ = false, arrived_ = false, given_ = false;
  double began_ = 0, polled_ = 0;
  EssentialStatistics statistics_;
};

}  // namespace multiwalk
