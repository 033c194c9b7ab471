// SPDX-License-Identifier: GPL-3.0-or-later
// Times, work and messages of one step or evaluation over all ranks, small enough for a record.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "decomposition/essential_trees/essential_trees.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/base/phase_timer.hpp"
#include "host/walk/raw_count.hpp"

namespace multiwalk {

/// One figure over the ranks.
struct Spread {
  double min = 0, mean = 0, max = 0;
  /// max / mean; 1 if there is nothing.
  [[nodiscard]] double imbalance() const { return mean > 0 ? max / mean : 1; }
};

/// Figures of one rank. Waiting is the time in which it was idle because others were not ready: it waited for their
/// trees, or for the slowest rank to end.
struct RankTimings {
  PhaseSeconds seconds{};  ///< exclusive; sums to the whole
  double waiting = 0;      ///< s, part of the above
  double in_flight = 0;    ///< s in which essential trees were on their way
  double awaited = 0;      ///< s of these in which the rank had nothing else to do
  double work = 0;         ///< interactions
  double particles = 0;    ///< owned
  double bytes_sent = 0;
  double tree_nodes = 0, tree_particles = 0, tree_bytes = 0;  ///< of essential trees received

  void add(const EssentialStatistics& exchange);
};

struct RankFigures {
  int ranks = 1;
  std::array<Spread, phase_count> seconds{};
  Spread busy;  ///< s not waiting
  Spread waiting, work, particles, bytes_sent, tree_nodes, tree_particles, tree_bytes;
  double in_flight = 0, awaited = 0;  ///< s, sums over ranks

  /// The part of the time with essential trees on their way that other work filled; 0 on one rank.
  [[nodiscard]] double hidden() const;
  /// Means over ranks.
  [[nodiscard]] PhaseSeconds mean_seconds() const;
  /// Adds the minimum, mean and maximum of another step.
  RankFigures& operator+=(const RankFigures& step);
};

/// Returns the same figures on every rank. Collective.
RankFigures over_ranks(const Communicator& comm, const RankTimings& own);

/// Collective.
RawCount sum_over_ranks(const Communicator& comm, const RawCount& own);

/// {total, sort, tree, ...} in seconds, and back.
nlohmann::json seconds_json(const PhaseSeconds& seconds);
PhaseSeconds seconds_from_json(const nlohmann::json& json);

/// For checkpoints, report.json and bench: {ranks, seconds: {phase: {min, mean, max}}, busy, waiting, work, particles:
/// {min, mean, max}, imbalance: {time, work, particles}, bytes_sent: {sum, mean, max}, essential_trees: {nodes,
/// particles, bytes: {mean, max}}, in_flight, awaited, hidden_communication}.
nlohmann::json to_json(const RankFigures& figures);
RankFigures rank_figures_from_json(const nlohmann::json& json);

}  // namespace multiwalk
