// SPDX-License-Identifier: GPL-3.0-or-later
// The tables and the JSON of a plan for many ranks.
#include <fmt/format.h>

#include <algorithm>

#include "run/files/number_text.hpp"
#include "run/plan/rank_plan.hpp"

namespace multiwalk {

namespace {

double ratio(double of, double all) {
  return all > 0 ? of / all : 0;
}

std::string bytes_text(double bytes) {
  return with_prefix(bytes) + "B";
}

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.4g} s", seconds);
}

std::string domain_table(const RankPlan& plan) {
  std::string text = fmt::format("{:>6} {:>9} {:>11} {:>9} {:>9} | {:>6} {:>8} {:>9} {:>9} {:>7} {:>9} | {:>9} {:>9}\n",
                                 "ranks", "grid", "particles", "most/mean", "work m/m", "sends", "cells", "particles",
                                 "bytes", "+-", "cells+", "memory:ic", "step");
  for (const RankPlanRow& row : plan.rows) {
    const VirtualExchange& e = row.exchange;
    text +=
        fmt::format("{:>6} {:>9} {:>11} {:>9.3f} {:>9.3f} | {:>6.0f} {:>8} {:>9} {:>9} {:>6.1f}% {:>9} | {:>9} {:>9}\n",
                    row.ranks, fmt::format("{}x{}x{}", row.grid[0], row.grid[1], row.grid[2]),
                    with_commas(row.particles), ratio(row.most_particles, row.particles), row.work_imbalance,
                    e.readers.mean, with_prefix(e.nodes.mean), with_prefix(e.particles.mean), bytes_text(e.bytes.mean),
                    100 * ratio(e.bytes.error, e.bytes.mean), bytes_text(e.early_bytes.mean + e.gathered_bytes),
                    bytes_text(row.bytes_of_conditions), bytes_text(row.bytes_of_step));
  }
  return text;
}

std::string time_table(const RankPlan& plan) {
  std::string text = fmt::format("{:>6} {:>10} {:>10} {:>10} {:>7} {:>10} {:>10}\n", "ranks", "compute", "early",
                                 "trees", "hidden", "step", "efficiency");
  for (const RankPlanRow& row : plan.rows) {
    text += fmt::format("{:>6} {:>10} {:>10} {:>10} {:>6.0f}% {:>10} {:>10.2f}\n", row.ranks, seconds_text(row.compute),
                        seconds_text(row.early), seconds_text(row.trees), 100 * ratio(row.hidden, row.trees),
                        seconds_text(row.step()), row.efficiency());
  }
  return text;
}

std::string what_was_decomposed(const RankPlan& plan) {
  std::string text = fmt::format("{} particles", with_commas(static_cast<double>(plan.particles)));
  text += plan.from_file ? " of the file" : fmt::format(", as they are at the beginning (z = {:.4g})", plan.redshift);
  if (plan.realised.size() < 2) return text + ", all of them decomposed";
  return text +
         fmt::format(
             ".\nEXTRAPOLATED: the same model was made and decomposed with {} and {} particles. Where possible, the "
             "number of ranks\n"
             "was chosen so that each has its number n of particles; otherwise the trees and cells of a rank are "
             "fitted to both\nas a n^(2/3) + b n^(1/3). For more ranks they grow with the inner faces of a domain",
             with_commas(static_cast<double>(plan.realised[0])), with_commas(static_cast<double>(plan.realised[1])));
}

nlohmann::json figure_json(const SampledFigure& figure) {
  return {{"mean", figure.mean}, {"standard_error", figure.error}, {"max", figure.most}};
}

nlohmann::json row_json(const RankPlanRow& row) {
  const VirtualExchange& e = row.exchange;
  return {{"ranks", row.ranks},
          {"realised_ranks", row.realised_ranks},
          {"extrapolated", row.extrapolated},
          {"grid", row.grid},
          {"particles", {{"mean", row.particles}, {"max", row.most_particles}}},
          {"imbalance", {{"particles", ratio(row.most_particles, row.particles)}, {"work", row.work_imbalance}}},
          {"local_work_share", row.local_share},
          {"ranks_sampled", e.sampled},
          {"essential_trees",
           {{"nodes", figure_json(e.nodes)},
            {"particles", figure_json(e.particles)},
            {"bytes", figure_json(e.bytes)},
            {"readers", figure_json(e.readers)}}},
          {"early_bytes", figure_json(e.early_bytes)},
          {"early_messages", figure_json(e.early_messages)},
          {"gathered_bytes", e.gathered_bytes},
          {"memory", {{"initial_conditions", row.bytes_of_conditions}, {"step", row.bytes_of_step}}},
          {"seconds",
           {{"compute", row.compute},
            {"early_messages", row.early},
            {"essential_trees", row.trees},
            {"hidden", row.hidden},
            {"step", row.step()}}},
          {"efficiency", row.efficiency()}};
}

}  // namespace

std::string rank_plan_text(const RankPlan& plan) {
  std::string text = what_was_decomposed(plan) + ".\n\nA rank's particles, what it sends, and its memory:\n";
  text += domain_table(plan);
  text += "\nSeconds of a step, slowest rank:\n" + time_table(plan);
  text += fmt::format(
      "\ninteractions  {}\n"
      "measured now  {:.3g} s per particle + {:.3g} s per particle of mean work, on one rank with {} threads: {}\n"
      "link          {}B/s per rank ({}), {:.3g} us per message ({})\n"
      "sends         ranks that get a tree, its cells and particles, bytes of all; +-: standard error, from {} ranks "
      "drawn at random\n"
      "cells+        pieces of cells cut by faces, target boxes and boxes of all domains: needed before trees are cut\n"
      "compute       sort, tree and integration by most particles, walks by most work, cutting trees\n"
      "hidden        the part of the trees' time that is hidden behind walks through a rank's own tree\n"
      "assumed       every rank is like this one, with a link that it does not share; the total work is "
      "that of\n"
      "              one rank; cuts of domains, migration, outputs and later clustering are not counted\n",
      mean_list_text(plan.list), plan.cost.by_number, plan.cost.by_work, plan.threads, plan.backend,
      with_prefix(plan.bandwidth),
      plan.bandwidth_is_copy ? "that of a memory copy here, assumed for the link: give --bandwidth" : "given",
      plan.latency * 1e6, plan.latency_given ? "given" : "assumed: give --latency",
      plan.rows.empty() ? 0 : plan.rows.back().exchange.sampled);
  return text;
}

nlohmann::json rank_plan_json(const RankPlan& plan) {
  nlohmann::json rows = nlohmann::json::array();
  for (const RankPlanRow& row : plan.rows) rows.push_back(row_json(row));
  return {{"particles", plan.particles},
          {"realised", plan.realised},
          {"redshift", plan.redshift},
          {"from_file", plan.from_file},
          {"backend", plan.backend},
          {"threads", plan.threads},
          {"pairs_per_particle", mean_list_json(plan.list)},
          {"seconds_per_particle", {{"by_number", plan.cost.by_number}, {"by_work", plan.cost.by_work}}},
          {"link",
           {{"bandwidth", plan.bandwidth},
            {"latency", plan.latency},
            {"bandwidth_is_memory_copy", plan.bandwidth_is_copy},
            {"latency_is_assumed", !plan.latency_given}}},
          {"rows", rows}};
}

}  // namespace multiwalk
