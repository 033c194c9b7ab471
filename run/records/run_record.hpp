// SPDX-License-Identifier: GPL-3.0-or-later
// The record of a run: steps, counts of interactions, errors, outputs. Checkpoints store it; report.json and the page
// are made from it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/forces/force_error.hpp"
#include "analysis/forces/interaction_census.hpp"
#include "host/base/phase_timer.hpp"
#include "run/records/diagnostics.hpp"
#include "run/records/ic_progress.hpp"
#include "run/records/rank_timings.hpp"

namespace multiwalk {

/// Figures that a block of steps adds to the record of a step; zero and empty if all particles stepped together.
struct BlockRecord {
  std::uint64_t substeps = 0;        ///< evaluations, each of the particles whose steps ended
  std::uint64_t evaluations = 0;     ///< of the force on one particle, over all substeps
  std::uint64_t last_raw = 0;        ///< raw pairs of the last evaluation, that of all particles
  std::vector<std::uint64_t> rungs;  ///< particles on each rung when the block began
  double raw_if_full = 0;            ///< of several blocks: the sum of last_raw x evaluations
};

/// A step, or several that follow each other, as one row, with sums over them and the time at the end of the last one
/// (step_history.hpp).
struct StepRecord {
  std::uint64_t step = 0;
  std::uint64_t covered = 1;  ///< steps of this row; a block of steps, or a span between diagnostics, is one
  double behind = 0;          ///< how far the mean ln a of the covered steps' ends lies before the end
  double time = 0;            ///< internal time or model time at the end of the step
  double a = 1, z = 0;
  PhaseSeconds seconds{};           ///< mean over ranks
  RawCount raw;                     ///< of all ranks
  double particles_per_second = 0;  ///< evaluations of one particle's force over all its seconds
  double imbalance = 1;             ///< busiest / mean: of the ranks, on one rank of its threads
  RankFigures ranks;
  BlockRecord block;
  std::optional<double> joules;            ///< of all devices since the row before, as far as their counters were read
  double energy_error = 0;                 ///< relative, or Layzer-Irvine violation; the largest of the covered steps
  std::optional<Diagnostics> diagnostics;  ///< of a direct run, at the end

  /// Raw pairs of the last evaluation, for a row of one step.
  [[nodiscard]] std::uint64_t last_raw() const { return block.substeps > 0 ? block.last_raw : raw.total(); }
  /// Raw pairs times particles if every evaluation had cost as much as the last of its block; without blocks, raw
  /// pairs.
  [[nodiscard]] double raw_if_full() const;
  /// The evaluations of this row in units of evaluations of all particles.
  [[nodiscard]] double evaluations(std::uint64_t particles) const {
    return static_cast<double>(block.substeps > 0 ? block.evaluations : covered * particles) /
           static_cast<double>(particles);
  }
  /// Sets particles_per_second; `particles`: of the run.
  void update_speed(std::uint64_t particles) {
    particles_per_second = evaluations(particles) * static_cast<double>(particles) / std::max(total(seconds), 1e-12);
  }
};

struct CensusRecord {
  std::uint64_t step = 0;
  double a = 1;
  std::uint64_t raw_pairs = 0;  ///< of that evaluation
  EffectiveCount effective;
  double equal_error_theta = 0;        ///< BH86 monopole theta with the same error; 0: not measured
  double equal_error_pairs = 0;        ///< its pairs
  bool equal_error_of_median = false;  ///< its median error is the same, not its 99 % error: the sample was small
};

struct ErrorRecord {
  double time = 0, z = 0;
  ErrorPercentiles total;
  ErrorPercentiles peculiar;  ///< equal to total for isolated systems
};

struct OutputRecord {
  double time = 0, z = 0;
  nlohmann::json entries = nlohmann::json::object();  ///< by output (run/outputs/output.hpp)
};

/// Files of the outputs that have times of their own: density grids, lens planes, subhalos.
struct RunningFiles {
  double time = 0, z = 0;
  std::vector<std::string> files;  ///< paths
};

/// The last checkpoint that was written.
struct CheckpointRecord {
  double seconds = 0;
  std::uint64_t bytes = 0;  ///< of all ranks; known on rank 0
};

/// Peak memory so far, on the rank with the most.
struct MemoryRecord {
  std::uint64_t host = 0, device = 0;  ///< bytes; device: of its devices together
};

/// Seconds in which a run measured itself.
struct MeasuringRecord {
  double errors = 0, census = 0;
  double trials = 0;  ///< extra time of evaluations with slow sizes of groups and leaves, while fast ones were sought

  [[nodiscard]] double total() const { return errors + census + trials; }
};

/// Everything the report shows; grows during a run and is stored in checkpoints as JSON.
struct RunRecord {
  std::string version, machine, backend, started;
  int threads = 1, ranks = 1, devices = 0;
  std::uint64_t particles = 0;
  bool comoving = true;
  bool finished = false;    ///< at its last time, with all its files written; not kept in checkpoints
  double wall_seconds = 0;  ///< restarts included
  std::vector<PartSeconds> initial_conditions;  ///< none if they were read
  std::optional<double> device_joules;
  std::optional<CheckpointRecord> checkpoint;
  MemoryRecord memory;
  MeasuringRecord measuring;
  std::vector<StepRecord> steps;  ///< a bounded number (step_history.hpp); all are in steps.csv
  std::vector<CensusRecord> census;
  std::vector<ErrorRecord> errors;
  std::vector<OutputRecord> outputs;
  std::vector<RunningFiles> running_outputs;
  double worrying_energy_error = 0;  ///< beyond it the next warning is due (energy_warning.hpp)
  double operations_per_pair = 38;   ///< by convention; 57 with the jerk

  /// Each step of a direct run ends with diagnostics.
  [[nodiscard]] bool has_diagnostics() const { return !steps.empty() && steps.front().diagnostics.has_value(); }
};

/// A step as report.json and checkpoints have it: {step, time, a, z, seconds: {total, phases}, pp_pairs, pc_pairs,
/// walks, particles_per_second, imbalance, over_ranks, block, joules, steps_covered, behind, energy_error,
/// diagnostics}.
nlohmann::json to_json(const StepRecord& step);
/// {step, a, raw_pairs, effective_pairs, effective_error, sample, equal_error_theta, equal_error_pairs,
/// equal_error_of_median}.
nlohmann::json to_json(const CensusRecord& census);

/// The format of to_json(RunRecord), raised whenever a field gets another name or meaning.
inline constexpr int record_format = 2;

nlohmann::json to_json(const RunRecord& record);  ///< lossless, for checkpoints
/// Throws InputError if the record has another format or holds impossible values, nlohmann::json::exception if a field
/// is missing.
RunRecord record_from_json(const nlohmann::json& json);
/// The program that wrote a record of another format, e.g. "multiwalk 0.1.0"; empty if it has this program's.
std::string writer_of_other_format(const nlohmann::json& json);

}  // namespace multiwalk
