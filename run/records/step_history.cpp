// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/records/step_history.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace multiwalk {

namespace {

/// Order by magnitude; NaN counts as the largest.
double larger_error(double first, double second) {
  return std::isnan(first) || std::fabs(first) >= std::fabs(second) ? first : second;
}

double mean_log_a(const StepRecord& row) {
  return std::log(row.a) - row.behind;
}

/// Steps of all particles together as blocks of one evaluation each.
void make_blocks(StepRecord& row, std::uint64_t particles) {
  row.block.raw_if_full = static_cast<double>(particles) * row.raw_if_full();
  row.block.substeps = row.covered;
  row.block.evaluations = row.covered * particles;
}

void merge_blocks(StepRecord& row, const StepRecord& later) {
  row.block.raw_if_full = row.raw_if_full() + later.raw_if_full();
  row.block.substeps += later.block.substeps;
  row.block.evaluations += later.block.evaluations;
  row.block.last_raw = later.block.last_raw;
  if (row.block.rungs.empty()) row.block.rungs = later.block.rungs;
}

/// Merges `later` into `row`, which ends where `later` begins.
void merge(StepRecord& row, StepRecord& later, std::uint64_t particles) {
  // A restart may have switched between global and block steps.
  const bool blocks = row.block.substeps > 0 || later.block.substeps > 0;
  for (StepRecord* each : {&row, &later})
    if (blocks && each->block.substeps == 0) make_blocks(*each, particles);
  const double seconds = total(row.seconds), more = total(later.seconds);
  const auto mean = [&](double first, double second) {
    return seconds + more > 0 ? (first * seconds + second * more) / (seconds + more) : 0.5 * (first + second);
  };
  const auto covered = static_cast<double>(row.covered), other = static_cast<double>(later.covered);
  const double middle = (covered * mean_log_a(row) + other * mean_log_a(later)) / (covered + other);
  if (blocks) merge_blocks(row, later);
  row.particles_per_second = mean(row.particles_per_second, later.particles_per_second);
  row.imbalance = mean(row.imbalance, later.imbalance);
  row.step = later.step;
  row.covered += later.covered;
  row.behind = std::log(later.a) - middle;
  row.time = later.time;
  row.a = later.a;
  row.z = later.z;
  for (std::size_t phase = 0; phase < phase_count; ++phase) row.seconds[phase] += later.seconds[phase];
  row.raw += later.raw;
  row.ranks += later.ranks;
  row.joules = row.joules && later.joules ? std::optional(*row.joules + *later.joules) : std::nullopt;
  row.energy_error = larger_error(row.energy_error, later.energy_error);
  row.diagnostics = later.diagnostics;
}

/// Merges every row but the first with its neighbour.
void merge_in_pairs(std::vector<StepRecord>& rows, std::uint64_t particles) {
  std::size_t kept = 1;
  for (std::size_t i = 1; i < rows.size(); i += 2, ++kept) {
    if (i + 1 < rows.size()) merge(rows[i], rows[i + 1], particles);
    if (kept != i) rows[kept] = std::move(rows[i]);
  }
  rows.resize(kept);
}

}  // namespace

double StepRecord::raw_if_full() const {
  if (block.substeps == 0) return static_cast<double>(raw.total());
  if (block.raw_if_full > 0) return block.raw_if_full;
  return static_cast<double>(block.last_raw) * static_cast<double>(block.evaluations);
}

void add_step(RunRecord& record, StepRecord step) {
  std::vector<StepRecord>& rows = record.steps;
  // The last row is one step; the row before it may cover fewer steps than the others so far.
  const std::size_t count = rows.size();
  if (count > 2 && rows[count - 2].covered < rows[1].covered) {
    merge(rows[count - 2], rows.back(), record.particles);
    rows.pop_back();
  }
  if (rows.size() == most_step_rows) merge_in_pairs(rows, record.particles);
  rows.push_back(std::move(step));
}

}  // namespace multiwalk
