// SPDX-License-Identifier: GPL-3.0-or-later
// The needs of a run on many ranks: domains, essential trees, memory and seconds per step, predicted by one process
// that makes the domains of all ranks.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/essential_trees/virtual_ranks.hpp"
#include "host/force/force_backend.hpp"
#include "run/parameters/parameters.hpp"
#include "run/plan/mean_list.hpp"

namespace multiwalk {

struct RankPlanRequest {
  Parameters parameters;
  int most_ranks = 32768;
  std::uint64_t realise = 1 << 22;  ///< models with more particles are made smaller, and figures extrapolated
  int sample = 64;                  ///< ranks whose trees are cut
  std::optional<double> bandwidth;  ///< bytes/s of a rank's link; else that of a memory copy on this machine
  std::optional<double> latency;    ///< s of a message; else 2 us
};

/// Seconds of one rank on one particle.
struct StepCost {
  double by_number = 0;  ///< sort, tree, integration
  double by_work = 0;    ///< walks and their evaluation
};

/// One number of ranks. Figures of one rank are means unless they say otherwise.
struct RankPlanRow {
  int ranks = 1;
  int realised_ranks = 1;  ///< that were decomposed for it
  bool extrapolated = false;
  DomainGrid grid{1, 1, 1};
  double particles = 0, most_particles = 0;
  double work_imbalance = 1;  ///< most / mean
  double local_share = 1;     ///< of the work in a rank's own tree
  VirtualExchange exchange;
  double bytes_of_conditions = 0, bytes_of_step = 0;  ///< memory at peak, fullest rank
  // Seconds of a step on the slowest rank:
  double compute = 0;  ///< all but communication
  double early = 0;    ///< messages that nothing hides: boxes, target boxes, pieces of shared cells
  double trees = 0;    ///< essential trees under way
  double hidden = 0;   ///< of `trees`, behind walks through the own tree

  double alone = 0;  ///< one rank with everything, if it could

  [[nodiscard]] double efficiency() const { return step() > 0 ? alone / (ranks * step()) : 1; }
  [[nodiscard]] double step() const { return compute + early + trees - hidden; }
};

struct RankPlan {
  std::uint64_t particles = 0;          ///< of the run
  std::vector<std::uint64_t> realised;  ///< particles of the sets that were decomposed
  double redshift = 0;                  ///< of the state that was decomposed; 0 for isolated systems
  bool from_file = false;
  std::string backend;
  int threads = 1;
  StepCost cost;
  MeanList list;  ///< of all particles of the run
  double bandwidth = 0, latency = 0;
  bool bandwidth_is_copy = false, latency_given = false;
  std::vector<RankPlanRow> rows;
};

/// 8, 16, 32, ... up to `most`, and `most`.
std::vector<int> planned_ranks(int most);

/// Throws InputError if the run is impossible.
RankPlan plan_ranks(const RankPlanRequest& request, ForceBackend& backend);

/// The table of rows with its assumptions.
std::string rank_plan_text(const RankPlan& plan);
nlohmann::json rank_plan_json(const RankPlan& plan);

}  // namespace multiwalk
