// SPDX-License-Identifier: GPL-3.0-or-later
// Many ranks in one process: their domains, and what they would send in an exchange of essential trees (Makino 2004).
// The cuts are those of EssentialTrees; there are no messages.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "decomposition/domains/multisection.hpp"
#include "decomposition/essential_trees/essential_trees.hpp"
#include "decomposition/essential_trees/virtual_cells.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

struct VirtualOptions {
  WalkSettings walks;  ///< options.group_size as the back end would take it
  MultisectionOptions sections;
  int far_from = all_send_to_all;
  int owners = 64;  ///< if there are more ranks, this many are drawn to make their cuts
  std::uint64_t seed = 1;
};

/// A figure per rank, from a sample of ranks.
struct SampledFigure {
  double mean = 0;
  double error = 0;  ///< standard error of the mean; 0 if all ranks were included
  double most = 0;   ///< maximum of the sample
};

/// The data that a rank sends in one evaluation.
struct VirtualExchange {
  int sampled = 0;
  SampledFigure nodes, particles, bytes;  ///< of essential trees
  SampledFigure readers;                  ///< ranks that get one
  SampledFigure early_bytes;              ///< target boxes and pieces of shared cells, needed before trees can be cut
  SampledFigure early_messages;
  double gathered_bytes = 0;  ///< received by every rank from all others: boxes, domains, counts
  double cutting = 0;         ///< mean seconds of one thread, cutting trees
};

/// Owns only an order of the particles.
class VirtualRanks {
 public:
  /// Makes cuts from particles.work. The store must be sorted by key (sort_by_key) within `cube` and must outlive this
  /// unchanged.
  VirtualRanks(const ParticleStore& particles, const Cube& cube, int ranks, const VirtualOptions& options);

  [[nodiscard]] int ranks() const { return map_.ranks(); }
  [[nodiscard]] const DomainGrid& grid() const { return map_.grid; }
  [[nodiscard]] std::uint64_t particles_of(int rank) const;
  [[nodiscard]] double work_of(int rank) const { return work_[static_cast<std::size_t>(rank)]; }
  /// The particles of one rank, by key.
  [[nodiscard]] ParticleStore store_of(int rank) const;
  /// `count` different ranks, drawn by the seed, rising; all ranks if there are no more.
  [[nodiscard]] std::vector<int> draw(int count) const;

  /// Threads share the ranks.
  [[nodiscard]] VirtualExchange exchange() const;

 private:
  struct Domain;
  struct Known;
  struct Sent;

  void build(int rank, const VirtualCells& cells, Domain& domain) const;
  [[nodiscard]] std::vector<Known> known(const VirtualCells& cells) const;
  [[nodiscard]] bool near(const Known& owner, const Known& reader) const;
  [[nodiscard]] Sent send(int owner, const VirtualCells& cells, const std::vector<Known>& known) const;

  const ParticleStore& particles_;
  Cube cube_;
  VirtualOptions options_;
  WalkRules rules_;
  DomainMap map_;
  RankedParticles ranked_;
  std::vector<double> work_;  ///< (ranks)
};

}  // namespace multiwalk
