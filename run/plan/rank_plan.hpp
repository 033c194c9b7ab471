// SPDX-License-Identifier: GPL-3.0-or-later
// A run on many ranks before it is made: a small model of it is cut into domains, and what its ranks then have and
// receive is continued to the number of particles of the run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run/plan/memory_plan.hpp"
#include "run/plan/time_plan.hpp"

namespace multiwalk {

/// One number of ranks. Means over ranks unless they say otherwise; seconds are those of a step on the slowest rank.
struct RankPlanRow {
  int ranks = 1;
  DomainGrid grid{1, 1, 1};
  double particles = 0;
  double fullest = 1;            ///< most particles of a rank / mean
  double work_imbalance = 1;     ///< most work / mean
  double cells = 0, others = 0;  ///< of essential trees: nodes and particles that a rank receives
  MemoryPlan memory;             ///< of the fullest rank
  double compute = 0;            ///< all but messages
  double messages = 0;           ///< of essential trees
  double step = 0;               ///< both, but for messages that walks through the own tree hide
  double efficiency = 1;         ///< one rank with everything, if it could, over all ranks

  [[nodiscard]] double bytes() const;  ///< received
};

struct RankPlan {
  std::uint64_t particles = 0;  ///< of the run
  std::uint64_t sample = 0;     ///< of the model that was cut
  double redshift = 0;          ///< its own; 0 for isolated systems
  MeanList list;                ///< of all particles of the run
  std::vector<RankPlanRow> rows;
};

/// 8, 16, 32, ... up to `most`, and `most`.
std::vector<int> planned_ranks(int most);

/// `shape`: of each rank, but for their number; `sample`: particles of the model, if the run has more. Throws
/// InputError if the run is impossible.
RankPlan plan_ranks(const Parameters& parameters, const RunShape& shape, int most_ranks, ForceBackend& backend,
                    std::uint64_t sample = 1 << 17);

/// The table of rows with its assumptions.
std::string rank_plan_text(const RankPlan& plan);
nlohmann::json rank_plan_json(const RankPlan& plan);

}  // namespace multiwalk
