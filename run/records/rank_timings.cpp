// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/records/rank_timings.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "run/files/json_input.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

/// Calls act for every spread, always in the same order.
template <class Figures, class Act>
void for_each_spread(Figures& figures, Act&& act) {
  for (auto& spread : figures.seconds) act(spread);
  for (auto* spread : {&figures.busy, &figures.waiting, &figures.work, &figures.particles, &figures.bytes_sent,
                       &figures.tree_nodes, &figures.tree_particles, &figures.tree_bytes}) {
    act(*spread);
  }
}

/// The figures in the order of for_each_spread.
std::vector<double> values_of(const RankTimings& own) {
  std::vector<double> values(own.seconds.begin(), own.seconds.end());
  values.insert(values.end(), {total(own.seconds) - own.waiting, own.waiting, own.work, own.particles, own.bytes_sent,
                               own.tree_nodes, own.tree_particles, own.tree_bytes});
  return values;
}

json spread_json(const Spread& spread) {
  return {{"min", spread.min}, {"mean", spread.mean}, {"max", spread.max}};
}

json mean_max_json(const Spread& spread) {
  return {{"mean", spread.mean}, {"max", spread.max}};
}

/// The least is 0 where only mean and maximum are kept.
Spread spread_from(const json& j) {
  return {j.value("min", 0.0), j.at("mean").get<double>(), j.at("max").get<double>()};
}

}  // namespace

void RankTimings::add(const EssentialStatistics& exchange) {
  waiting += exchange.waited;
  awaited += exchange.waited;
  in_flight += exchange.in_flight;
  tree_nodes += static_cast<double>(exchange.nodes_received);
  tree_particles += static_cast<double>(exchange.particles_received);
  tree_bytes += static_cast<double>(exchange.bytes_received);
}

RawCount sum_over_ranks(const Communicator& comm, const RawCount& own) {
  std::array<std::uint64_t, 4> counts{own.particle_pairs, own.cell_pairs, own.walks, own.expansions};
  comm.sum(std::span<std::uint64_t>(counts));
  return {counts[0], counts[1], counts[2], counts[3]};
}

PhaseSeconds RankFigures::mean_seconds() const {
  PhaseSeconds mean{};
  for (std::size_t p = 0; p < phase_count; ++p) mean[p] = seconds[p].mean;
  return mean;
}

RankFigures& RankFigures::operator+=(const RankFigures& step) {
  ranks = std::max(ranks, step.ranks);
  std::vector<Spread> more;
  for_each_spread(step, [&](const Spread& s) { more.push_back(s); });
  std::size_t at = 0;
  for_each_spread(*this, [&](Spread& s) {
    const Spread& m = more[at++];
    s = {s.min + m.min, s.mean + m.mean, s.max + m.max};
  });
  in_flight += step.in_flight;
  awaited += step.awaited;
  return *this;
}

double RankFigures::hidden() const {
  return in_flight > 0 ? std::clamp(1 - awaited / in_flight, 0.0, 1.0) : 0;
}

RankFigures over_ranks(const Communicator& comm, const RankTimings& own) {
  std::vector<double> mine = values_of(own);
  mine.insert(mine.end(), {own.in_flight, own.awaited});
  const std::vector<double> all = comm.all_gather(std::span<const double>(mine));  // in one message
  std::vector<Spread> over(mine.size());
  for (std::size_t k = 0; k < mine.size(); ++k) {
    over[k] = {mine[k], 0, mine[k]};
    for (std::size_t at = k; at < all.size(); at += mine.size()) {
      over[k] = {std::min(over[k].min, all[at]), over[k].mean + all[at], std::max(over[k].max, all[at])};
    }
  }
  RankFigures figures;
  figures.ranks = comm.size();
  std::size_t at = 0;
  for_each_spread(figures, [&](Spread& spread) {
    spread = over[at++];
    spread.mean /= comm.size();
  });
  figures.in_flight = over[at].mean;
  figures.awaited = over[at + 1].mean;
  return figures;
}

json seconds_json(const PhaseSeconds& seconds) {
  json j{{"total", total(seconds)}};
  for (std::size_t phase = 0; phase < phase_count; ++phase) j[std::string(phase_names[phase])] = seconds[phase];
  return j;
}

PhaseSeconds seconds_from_json(const json& j) {
  PhaseSeconds seconds{};
  for (std::size_t phase = 0; phase < phase_count; ++phase)
    j.at(std::string(phase_names[phase])).get_to(seconds[phase]);
  return seconds;
}

json to_json(const RankFigures& figures) {
  json seconds;
  for (std::size_t p = 0; p < phase_count; ++p) {
    seconds[std::string(phase_names[p])] = spread_json(figures.seconds[p]);
  }
  json bytes_sent = mean_max_json(figures.bytes_sent);
  bytes_sent["sum"] = figures.bytes_sent.mean * figures.ranks;
  return {{"ranks", figures.ranks},
          {"seconds", std::move(seconds)},
          {"busy", spread_json(figures.busy)},
          {"waiting", spread_json(figures.waiting)},
          {"work", spread_json(figures.work)},
          {"particles", spread_json(figures.particles)},
          {"imbalance",
           {{"time", figures.busy.imbalance()},
            {"work", figures.work.imbalance()},
            {"particles", figures.particles.imbalance()}}},
          {"bytes_sent", std::move(bytes_sent)},
          {"essential_trees",
           {{"nodes", mean_max_json(figures.tree_nodes)},
            {"particles", mean_max_json(figures.tree_particles)},
            {"bytes", mean_max_json(figures.tree_bytes)}}},
          {"in_flight", figures.in_flight},
          {"awaited", figures.awaited},
          {"hidden_communication", figures.hidden()}};
}

RankFigures rank_figures_from_json(const json& j) {
  RankFigures figures;
  figures.ranks = static_cast<int>(whole_number(j.at("ranks")));
  const json& trees = j.at("essential_trees");
  for (std::size_t p = 0; p < phase_count; ++p) {
    figures.seconds[p] = spread_from(j.at("seconds").at(std::string(phase_names[p])));
  }
  figures.busy = spread_from(j.at("busy"));
  figures.waiting = spread_from(j.at("waiting"));
  figures.work = spread_from(j.at("work"));
  figures.particles = spread_from(j.at("particles"));
  figures.bytes_sent = spread_from(j.at("bytes_sent"));
  figures.tree_nodes = spread_from(trees.at("nodes"));
  figures.tree_particles = spread_from(trees.at("particles"));
  figures.tree_bytes = spread_from(trees.at("bytes"));
  j.at("in_flight").get_to(figures.in_flight);
  j.at("awaited").get_to(figures.awaited);
  return figures;
}

}  // namespace multiwalk
