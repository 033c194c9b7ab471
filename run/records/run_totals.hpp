// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over a run: interactions, raw and effective, and the speed and cost that follow (Hamada et al. 2009, section 5).
#pragma once

#include <optional>
#include <vector>

#include "analysis/forces/cost.hpp"
#include "analysis/forces/interaction_census.hpp"
#include "run/parameters/parameters.hpp"
#include "run/records/run_record.hpp"

namespace multiwalk {

/// The walk that raw interactions are compared with: the original one at the same theta, or the monopole walk of equal
/// error (CensusRecord).
enum class Comparison { effective, equal_error };

/// Raw over effective (or equal-error) interactions at the census epochs, linear between them in ln a (isolated runs:
/// in the step number) and constant beyond the first and last.
class CensusRatio {
 public:
  explicit CensusRatio(const RunRecord& record, Comparison comparison = Comparison::effective);

  [[nodiscard]] bool known() const { return !epochs_.empty(); }
  /// Needs a census.
  [[nodiscard]] double at(const StepRecord& step) const;
  /// Effective (or equal-error) pairs of a step; for a block, of the particles that were active in each substep.
  [[nodiscard]] double pairs_of(const StepRecord& step) const;
  /// Effective pairs of all steps; the standard error combines those of the epochs, which are independent samples.
  [[nodiscard]] EffectiveCount total(const std::vector<StepRecord>& steps) const;

 private:
  struct Epoch {
    double place, ratio, error;
  };
  /// The epochs around a step and the weight of the later one.
  struct Bracket {
    std::size_t before, after;
    double weight;
  };
  [[nodiscard]] double place(std::uint64_t step, double a) const;
  /// The mean place of the steps in a row.
  [[nodiscard]] double middle(const StepRecord& step) const;
  [[nodiscard]] Bracket bracket(const StepRecord& step) const;

  bool comoving_;
  std::uint64_t particles_;
  std::vector<Epoch> epochs_;
};

/// A step's seconds in the three parts of Hamada et al. (2009), Fig. 11: decomposition and exchange; walks, packing,
/// transfers and the forces themselves; the rest.
struct TimeBreakdown {
  double mpi = 0, tree_walk = 0, miscellaneous = 0;
};
TimeBreakdown time_breakdown(const PhaseSeconds& seconds);

struct RunTotals {
  std::uint64_t steps = 0;
  std::uint64_t substeps = 0;  ///< evaluations of forces, most of them on only some particles
  double evaluations = 0;      ///< of the force on one particle
  RawCount raw;
  std::optional<EffectiveCount> effective;  ///< null without a census
  std::optional<double> equal_error_pairs;  ///< null where it was not measured
  PhaseSeconds seconds{};                   ///< by phase
  double particles_per_second = 0;          ///< particles x evaluations / time in steps
  RankFigures ranks;                        ///< sums over steps of the least, mean and most of each
  CostFigures cost;                         ///< effective figures are 0 or null without a census
};

RunTotals run_totals(const RunRecord& record, const CostParameters& prices);

}  // namespace multiwalk
