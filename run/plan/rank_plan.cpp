// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/plan/rank_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "decomposition/domains/multisection.hpp"
#include "decomposition/essential_trees/essential_trees.hpp"
#include "host/walk/opening_radii.hpp"
#include "run/files/number_text.hpp"
#include "run/plan/planned_model.hpp"

namespace multiwalk {

namespace {

constexpr double bandwidth = 10e9, latency = 2e-6;  // of a rank's link, bytes/s, and of a message, s: assumed
constexpr double fewest_in_domain = 512;
/// Received cells and particles grow as this power of a domain's particles: 3.5 to 4 times for 8 times as many
/// (decomposition/MEASUREMENTS.md); a surface alone has 2/3.
constexpr double growth_with_size = 0.63;

/// Some particles with the tree and groups that an exchange reads.
struct CutTree {
  ParticleStore store;
  Octree tree;
  std::vector<float> radius;
  std::vector<Group> groups;
  std::vector<double> smallest;
  WalkSettings walks;

  CutTree(const ParticleStore& all, const std::vector<std::uint32_t>& members, const Cube& cube,
          const WalkSettings& settings)
      : walks(settings) {
    store.resize(members.size());
    for (std::size_t k = 0; k < members.size(); ++k) {
      store.position[k] = all.position[members[k]];
      store.mass[k] = all.mass[members[k]];
      store.acceleration[k] = all.acceleration[members[k]];
    }
    const GravityOptions& force = walks.options;
    sort_by_key(store, cube);
    build_octree(store, cube, {force.leaf_size}, tree);
    groups = make_groups(tree.view(), force.most_in_group(force.group_size));
    if (force.relative()) smallest = smallest_accelerations(tree.view(), groups, store.acceleration, walks.background);
    make_opening_radii(tree.view(), force, radius);
  }
  [[nodiscard]] LocalTree local() { return {walks, tree.view(), tree.multipole(), radius, groups, smallest}; }
};

/// Mean part of a domain's six faces that other domains touch.
double inner_faces(const DomainGrid& grid, bool periodic) {
  double outer = 0;
  for (const int n : grid) outer += periodic && n > 1 ? 0 : 2.0 / n;
  return 1 - outer / 6;
}

/// A model whose particles have accelerations and work, to be cut into domains.
class CutModel {
 public:
  CutModel(const Parameters& parameters, const Simulation& simulation)
      : particles_(simulation.on_host().particles), sections_(multisection_options(parameters.decomposition)) {
    const PairLaw law = simulation.pair_law();
    cube_ = law.box_size > 0 ? periodic_cube(law.box_size) : enclosing_cube(bounding_box(particles_.position));
    GravityOptions options = simulation.walk_options();
    options.group_size = options.most_in_group(simulation.backend().preferred_group_size());
    walks_ = {options, law, simulation.background()};
    sections_.grid = {0, 0, 0};
  }

  /// Domains of about as many particles as in the run, of `particles` in all, if the model has enough.
  [[nodiscard]] RankPlanRow cut(int ranks, double particles) const {
    const auto mine = static_cast<double>(particles_.size());
    const double most = mine / fewest_in_domain, same_size = std::ceil(mine * ranks / particles);
    const int domains = std::min(ranks, static_cast<int>(std::max(8.0, std::min(most, same_size))));
    const DomainMap map = multisection({}, domains, particles_.position, particles_.work, sections_, nullptr);
    RankPlanRow row;
    row.ranks = ranks;
    row.particles = particles / ranks;
    const Box extent = bounding_box(particles_.position);
    row.grid = domains == ranks ? map.grid : choose_grid(ranks, extent.hi - extent.lo);
    std::vector<int> owner(particles_.size());
    std::vector<double> number(static_cast<std::size_t>(domains)), work(number.size());
    for (std::size_t i = 0; i < owner.size(); ++i) {
      const auto r = static_cast<std::size_t>(owner[i] = map.rank_of(particles_.position[i]));
      number[r] += 1;
      work[r] += static_cast<double>(particles_.work[i]);
    }
    const auto over_mean = [&](const std::vector<double>& values) {
      double all = 0;
      for (const double v : values) all += v / domains;
      return all > 0 ? *std::ranges::max_element(values) / all : 1;
    };
    row.fullest = over_mean(number);
    row.work_imbalance = over_mean(work);
    exchange(owner, domains, row);
    const double larger = std::pow(row.particles * domains / mine, growth_with_size) *
                          inner_faces(row.grid, cube_.periodic) / std::max(inner_faces(map.grid, cube_.periodic), 0.1);
    row.cells *= larger;
    row.others *= larger;
    return row;
  }

 private:
  /// What some of the domains receive, as if all others were one.
  void exchange(const std::vector<int>& owner, int domains, RankPlanRow& row) const {
    constexpr int readers = 2;
    const int read = std::min(readers, domains);
    for (int k = 0; k < read; ++k) {
      const int reader = (2 * k + 1) * domains / (2 * read);
      std::vector<std::uint32_t> inside, outside;
      for (std::uint32_t i = 0; i < owner.size(); ++i) (owner[i] == reader ? inside : outside).push_back(i);
      if (inside.empty() || outside.empty()) continue;
      CutTree mine(particles_, inside, cube_, walks_), theirs(particles_, outside, cube_, walks_);
      const EssentialCut cut = cut_essential_tree(theirs.local(), target_boxes(mine.local(), target_parts));
      row.cells += static_cast<double>(cut.node.size()) / read;
      row.others += static_cast<double>(cut.particle.size()) / read;
    }
  }

  ParticleStore particles_;
  MultisectionOptions sections_;
  Cube cube_;
  WalkSettings walks_;
};

void add_seconds(double seconds_alone, RankPlanRow& row) {
  constexpr double neighbours = 26, messages_of_reader = 3, rounds_of_step = 3;
  const double all_messages =
      rounds_of_step * std::ceil(std::log2(row.ranks)) + messages_of_reader * std::min(row.ranks - 1.0, neighbours);
  row.compute = seconds_alone / row.ranks * row.work_imbalance;
  row.messages = row.bytes() / bandwidth + latency * all_messages;
  const double own = row.compute * row.particles / (row.particles + row.cells + row.others);
  row.step = row.compute + std::max(0.0, row.messages - own);
  row.efficiency = seconds_alone / (row.ranks * row.step);
}

}  // namespace

double RankPlanRow::bytes() const {
  return cells * sizeof(EssentialNode) + others * sizeof(EssentialParticle);
}

std::vector<int> planned_ranks(int most) {
  std::vector<int> ranks;
  for (int p = 8; p < most; p *= 2) ranks.push_back(p);
  ranks.push_back(most);
  return ranks;
}

RankPlan plan_ranks(const Parameters& parameters, const RunShape& shape, int most_ranks, ForceBackend& backend,
                    std::uint64_t sample) {
  const TimePlan measured = plan_time(parameters, backend, sample);
  const CutModel model(parameters, *measured.model);
  RankPlan plan;
  plan.particles = planned_particles(parameters);
  plan.sample = measured.model->particle_count();
  plan.redshift = measured.model->redshift();
  plan.list = measured.list;
  const auto all = static_cast<double>(plan.particles);
  for (const int ranks : planned_ranks(most_ranks)) {
    RankPlanRow row = model.cut(ranks, all);
    RunShape one = shape;
    one.ranks = ranks;
    one.fullest = row.fullest;
    row.memory = plan_memory(parameters, one);
    add_seconds(measured.seconds_per_step, row);
    plan.rows.push_back(row);
  }
  return plan;
}

std::string rank_plan_text(const RankPlan& plan) {
  std::string text =
      fmt::format("{} particles; a model of {} of them{} was cut into domains and continued to all.\n\n",
                  with_commas(static_cast<double>(plan.particles)), with_commas(static_cast<double>(plan.sample)),
                  plan.redshift > 0 ? fmt::format(" at z = {:.4g}", plan.redshift) : "");
  text += fmt::format("{:>7} {:>11} {:>13} {:>9} {:>8} {:>9} | {:>9} {:>9} {:>9} | {:>9} {:>9} {:>9} {:>10}\n", "ranks",
                      "grid", "particles", "most/mean", "work m/m", "received", "memory:ic", "step", "device",
                      "compute", "messages", "step, s", "efficiency");
  for (const RankPlanRow& row : plan.rows) {
    text += fmt::format(
        "{:>7} {:>11} {:>13} {:>9.3f} {:>8.3f} {:>9} | {:>9} {:>9} {:>9} | {:>9} {:>9} {:>9} {:>10.2f}\n", row.ranks,
        fmt::format("{}x{}x{}", row.grid[0], row.grid[1], row.grid[2]), with_commas(row.particles), row.fullest,
        row.work_imbalance, with_prefix(row.bytes()) + "B", with_prefix(row.memory.initial_conditions) + "B",
        with_prefix(row.memory.step) + "B", row.memory.device > 0 ? with_prefix(row.memory.device) + "B" : "-",
        scientific(row.compute), scientific(row.messages), scientific(row.step), row.efficiency);
  }
  return text + fmt::format(
                    "\ninteractions  {}\n"
                    "most, m/m     of the rank that has most particles or work, over the mean\n"
                    "received      essential trees of other ranks in one evaluation\n"
                    "memory        of the rank with most particles, without the program's own\n"
                    "step          of all particles, in seconds; messages ({}B/s and {:.3g} us assumed) are "
                    "hidden behind walks through a rank's own tree\n"
                    "assumed       every rank is like this one; transposes of a mesh, cuts of domains, migration, "
                    "outputs and later clustering are not counted\n",
                    mean_list_text(plan.list), with_prefix(bandwidth), latency * 1e6);
}

nlohmann::json rank_plan_json(const RankPlan& plan) {
  nlohmann::json rows = nlohmann::json::array();
  for (const RankPlanRow& row : plan.rows) {
    rows.push_back({{"ranks", row.ranks},
                    {"grid", row.grid},
                    {"particles", {{"mean", row.particles}, {"max", row.particles * row.fullest}}},
                    {"imbalance", {{"particles", row.fullest}, {"work", row.work_imbalance}}},
                    {"essential_trees", {{"nodes", row.cells}, {"particles", row.others}, {"bytes", row.bytes()}}},
                    {"memory",
                     {{"program", row.memory.program},
                      {"initial_conditions", row.memory.initial_conditions},
                      {"step", row.memory.step},
                      {"device", row.memory.device}}},
                    {"seconds", {{"compute", row.compute}, {"messages", row.messages}, {"step", row.step}}},
                    {"efficiency", row.efficiency}});
  }
  return {{"particles", plan.particles},
          {"sample", plan.sample},
          {"redshift", plan.redshift},
          {"pairs_per_particle", mean_list_json(plan.list)},
          {"rows", rows}};
}

}  // namespace multiwalk
