// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/essential_trees/essential_cut.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/tree/acceptance.hpp"
#include "host/tree/traverse.hpp"
#include "host/walk/opening_radii.hpp"

namespace multiwalk {

namespace {

constexpr double diagonal_per_side = 1.7320509;

/// Squared distance between the nearest images of two boxes.
inline double distance2(const Box& a, const Box& b, double period) {
  const auto gap = [period](double a_lo, double a_hi, double b_lo, double b_hi) {
    const double below = a_lo - b_hi, above = b_lo - a_hi;
    return std::max(std::min(std::max(below, above), std::min(below, above) + period), 0.0);
  };
  return norm2(Vec3d{gap(a.lo.x, a.hi.x, b.lo.x, b.hi.x), gap(a.lo.y, a.hi.y, b.lo.y, b.hi.y),
                     gap(a.lo.z, a.hi.z, b.lo.z, b.hi.z)});
}

EssentialNode essential_node(const Multipole& m, float radius) {
  return {m.centre_of_mass, m.mass, m.xx, m.xy, m.xz, m.yy, m.yz, m.zz, radius, 0, 0};
}

EssentialNode cell_of(const LocalTree& local, std::uint32_t n) {
  return essential_node(local.tree.multipole[n], local.radius[n]);
}

/// Decides whether a cell suffices: it is accepted, or none of it is within the cut-off.
struct Acceptance {
  double radius2, strength, beyond2, period;

  Acceptance(float mass, float opening_radius, double diagonal, const WalkRules& rules)
      : beyond2((rules.cutoff + diagonal) * (rules.cutoff + diagonal)), period(rules.period) {
    const double radius = std::fabs(static_cast<double>(opening_radius));
    const bool relative = rules.criterion.relative() && std::isfinite(radius);
    radius2 = radius * radius;
    strength =
        relative ? OpeningCriterion::strength(rules.gravitational_constant, static_cast<double>(mass), radius) : 0;
  }
  [[nodiscard]] bool by(const TargetBox& target, Vec3d centre_of_mass) const {
    return distance2(target.box, {centre_of_mass, centre_of_mass}, period) >
           std::min(std::max(radius2, strength * target.scale), beyond2);
  }
};

using Targets = std::vector<std::uint32_t>;

/// A part of the cut below one node: [first, end) of a thread's nodes and particles.
struct Branch {
  std::size_t thread = 0;
  std::size_t node = 0, node_end = 0;
  std::size_t particle = 0, particle_end = 0;
};

/// A node still to be cut.
struct Task {
  std::uint32_t source = 0;  ///< node of the local tree
  std::uint32_t place = 0;   ///< its place in the cut's stem
  std::size_t near = 0;      ///< list of the target boxes that its ancestors do not satisfy
  Branch branch;
};

/// Cuts one tree for one domain: first one thread cuts the stem, level by level, then all threads cut the branches.
class Cutter {
 public:
  Cutter(const LocalTree& local, std::span<const TargetBox> targets, EssentialCut& stem,
         std::vector<EssentialCut>& of_thread)
      : local_(local), rules_(local.tree.cube, local.walks), targets_(targets), stem_(stem), of_thread_(of_thread) {}

  void operator()() {
    near_.emplace_back(targets_.size());
    std::iota(near_[0].begin(), near_[0].end(), 0U);
    stem_.node.push_back(cell_of(local_, 0));
    const std::uint32_t branch_size = std::max(local_.tree.node[0].count / branches, 64U);
    std::vector<Task> open{{0, 0, 0, {}}};
    while (!open.empty()) open = next_wave(open, branch_size);
    of_thread_.resize(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
    {
      const auto thread = static_cast<std::size_t>(omp_get_thread_num());
      EssentialCut& grown = of_thread_[thread];
      grown.node.clear();
      grown.particle.clear();
      Targets lists;
#pragma omp for schedule(dynamic, 1)
      for (std::size_t t = 0; t < tasks_.size(); ++t) tasks_[t].branch = grow_branch(tasks_[t], thread, grown, lists);
    }
    join();
  }

 private:
  static constexpr std::uint32_t branches = 2048;

  /// Opens the nodes of the stem's current level; small ones become branches.
  std::vector<Task> next_wave(std::vector<Task>& open, std::uint32_t branch_size) {
    const auto small = std::stable_partition(
        open.begin(), open.end(), [&](const Task& task) { return local_.tree.node[task.source].count > branch_size; });
    tasks_.insert(tasks_.end(), small, open.end());
    open.erase(small, open.end());
    const std::size_t first_list = near_.size();
    near_.resize(first_list + open.size());
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t t = 0; t < open.size(); ++t) {
      const Targets& among = near_[open[t].near];
      Targets& left = near_[first_list + t];
      left.resize(among.size());
      left.resize(unsatisfied(open[t].source, among, left.data()));
    }
    std::vector<Task> wave;
    for (std::size_t t = 0; t < open.size(); ++t) {
      const Task& task = open[t];
      if (near_[first_list + t].empty()) continue;
      const std::uint32_t first = grow(task.source, task.place, stem_);
      const Node& node = local_.tree.node[task.source];
      for (std::uint32_t c = 0; c < node.child_count; ++c) {
        wave.push_back({node.first_child + c, first + c, first_list + t, {}});
      }
    }
    return wave;
  }

  /// Writes those targets of `among` that need more than cell n to `left`, which has room for all; returns their
  /// number.
  std::size_t unsatisfied(std::uint32_t n, std::span<const std::uint32_t> among, std::uint32_t* left) const {
    const Multipole& cell = local_.tree.multipole[n];
    const Acceptance acceptance(cell.mass, local_.radius[n], diagonal_per_side * local_.tree.side(n), rules_);
    std::size_t count = 0;
    for (const std::uint32_t t : among) {
      const TargetBox& target = targets_[t];
      left[count] = t;
      count += acceptance.by(target, cell.centre_of_mass) ? 0 : 1;
    }
    return count;
  }

  /// Called if some target needs more of a node already written at `place`: appends a leaf's particles, or an inner
  /// node's children as cells; returns where they begin.
  std::uint32_t grow(std::uint32_t n, std::size_t place, EssentialCut& cut) const {
    const Node& node = local_.tree.node[n];
    if (node.leaf()) {
      const std::size_t first = cut.particle.size();
      cut.node[place].first = static_cast<std::uint32_t>(first);
      cut.node[place].count = node.count;
      const Vec3d origin = cut.node[place].centre_of_mass;
      cut.particle.resize(first + node.count);
      for (std::uint32_t i = 0; i < node.count; ++i) {
        const std::size_t at = local_.element(node.first + i);
        cut.particle[first + i] = {Vec3f(local_.tree.position[at] - origin), local_.tree.mass[at]};
      }
      return 0;
    }
    const std::size_t first = cut.node.size();
    cut.node[place].first = static_cast<std::uint32_t>(first);
    cut.node[place].count = inner_count(node.child_count, node.level);
    cut.node.resize(first + node.child_count);
    for (std::uint32_t c = 0; c < node.child_count; ++c) cut.node[first + c] = cell_of(local_, node.first_child + c);
    return static_cast<std::uint32_t>(first);
  }

  Branch grow_branch(const Task& task, std::size_t thread, EssentialCut& grown, Targets& lists) const {
    Branch branch{thread, grown.node.size(), 0, grown.particle.size(), 0};
    grown.node.push_back(stem_.node[task.place]);
    const Targets& near = near_[task.near];
    if (lists.size() < near.size()) lists.resize(near.size());
    std::copy(near.begin(), near.end(), lists.begin());
    cut(task.source, branch.node, 0, near.size(), grown, lists);
    branch.node_end = grown.node.size();
    branch.particle_end = grown.particle.size();
    return branch;
  }

  /// The node's ancestors do not satisfy lists[first, end); later entries are free.
  void cut(std::uint32_t n, std::size_t place, std::size_t first, std::size_t end, EssentialCut& grown,
           Targets& lists) const {
    if (lists.size() < 2 * end - first) lists.resize(2 * (2 * end - first));
    const std::size_t near = unsatisfied(n, std::span(lists).subspan(first, end - first), lists.data() + end);
    if (near == 0) return;
    const std::uint32_t child = grow(n, place, grown);
    const Node& node = local_.tree.node[n];
    for (std::uint32_t c = 0; c < node.child_count; ++c) {
      cut(node.first_child + c, child + c, end, end + near, grown, lists);
    }
  }

  /// Appends the branches to the stem, in their order. A branch's first node goes to its place in the stem.
  void join() {
    std::size_t nodes = stem_.node.size(), particles = stem_.particle.size();
    std::vector<std::size_t> node_at, particle_at;
    for (const Task& task : tasks_) {
      node_at.push_back(nodes);
      particle_at.push_back(particles);
      nodes += task.branch.node_end - task.branch.node - 1;
      particles += task.branch.particle_end - task.branch.particle;
    }
    stem_.node.resize(nodes);
    stem_.particle.resize(particles);
#pragma omp parallel for schedule(dynamic, 4)
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      const Branch& branch = tasks_[t].branch;
      const EssentialCut& grown = of_thread_[branch.thread];
      for (std::size_t n = branch.node; n < branch.node_end; ++n) {
        EssentialNode node = grown.node[n];
        if (node.inner()) {
          node.first += static_cast<std::uint32_t>(node_at[t] - 1 - branch.node);
        } else if (node.count > 0) {
          node.first += static_cast<std::uint32_t>(particle_at[t] - branch.particle);
        }
        stem_.node[n == branch.node ? tasks_[t].place : node_at[t] - 1 + n - branch.node] = node;
      }
      std::copy(grown.particle.data() + branch.particle, grown.particle.data() + branch.particle_end,
                stem_.particle.data() + particle_at[t]);
    }
  }

  const LocalTree& local_;
  const WalkRules rules_;
  std::span<const TargetBox> targets_;
  EssentialCut& stem_;
  std::vector<EssentialCut>& of_thread_;
  std::vector<Targets> near_;
  std::vector<Task> tasks_;
};

}  // namespace

WalkRules::WalkRules(const Cube& cube, const WalkSettings& walks)
    : criterion(walks.options), gravitational_constant(walks.gravitational_constant), cutoff(walks.cutoff) {
  if (cube.periodic) period = cube.side;
  // A cell is listed where it may be used within the cut-off.
  range = cutoff + diagonal_per_side * std::min(criterion.largest_side(cutoff), largest_periodic_cell * period);
}

std::vector<TargetBox> target_boxes(const LocalTree& local, std::uint32_t parts) {
  const std::span<const Node> node = local.tree.node;
  std::vector<TargetBox> targets;
  if (node.empty()) return targets;
  const std::uint32_t size = std::max(node[0].count / parts, 1U);
  const auto add = [&](std::uint32_t first, std::uint32_t end) {
    const auto at = [&](std::uint32_t particle) {
      return std::lower_bound(local.groups.begin(), local.groups.end(), particle,
                              [](const Group& g, std::uint32_t p) { return g.first < p; });
    };
    TargetBox target;
    for (auto g = at(first); g != at(end); ++g) {
      target.box.include(g->box);
      if (local.smallest.empty()) continue;
      const double smallest = local.smallest[static_cast<std::size_t>(g - local.groups.begin())];
      target.scale = std::max(target.scale, local.walks.options.scale(smallest));
    }
    if (!target.box.empty()) targets.push_back(target);
  };
  traverse(
      node, [&](std::uint32_t n) { return node[n].count > size; },
      [&](std::uint32_t n) { add(node[n].first, node[n].first + node[n].count); },
      [&](std::uint32_t n) { add(node[n].first, node[n].first + node[n].count); });
  return targets;
}

TargetBox enclosing_target(std::span<const TargetBox> targets) {
  TargetBox all;
  for (const TargetBox& target : targets) {
    all.box.include(target.box);
    all.scale = std::max(all.scale, target.scale);
  }
  return all;
}

EssentialNode essential_root(const LocalTree& local, const Box& box) {
  const Multipole& all = local.tree.multipole[0];
  return essential_node(all, opening_radius(local.tree.cube, box, all.centre_of_mass, local.walks.options));
}

Need need_of(const TargetBox& target, const EssentialNode& root, const Box& box, const WalkRules& rules) {
  if (distance2(target.box, box, rules.period) > rules.range * rules.range) return Need::nothing;
  const Acceptance acceptance(root.mass, root.radius, INFINITY, rules);
  return acceptance.by(target, root.centre_of_mass) ? Need::cell : Need::tree;
}

void EssentialCutter::cut(const LocalTree& local, std::span<const TargetBox> targets, EssentialCut& result) {
  result.node.clear();
  result.particle.clear();
  if (!local.tree.node.empty()) Cutter(local, targets, result, of_thread_)();
}

EssentialCut cut_essential_tree(const LocalTree& local, std::span<const TargetBox> targets) {
  EssentialCut cut;
  EssentialCutter().cut(local, targets, cut);
  return cut;
}

}  // namespace multiwalk
