#include "decomposition/essential_cut.hpp"

#include <algorithm>
#include <cmath>

#include "host/tree/acceptance.hpp"
#include "host/tree/traverse.hpp"

namespace multiwalk {

namespace {

double distance2(const Box& box, Vec3d p) {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double outside = std::max({box.lo[axis] - p[axis], p[axis] - box.hi[axis], 0.0});
    sum += outside * outside;
  }
  return sum;
}

EssentialNode essential_node(const Multipole& m, double radius) {
  return {m.centre_of_mass, m.mass, m.xx, m.xy, m.xz, m.yy, m.yz, m.zz, static_cast<float>(radius), 0, 0};
}

EssentialNode cell_of(const LocalTree& local, std::uint32_t n) {
  const double radius2 = local.nodes.radius2[n];
  return essential_node(local.tree.multipole[n], std::copysign(std::sqrt(std::fabs(radius2)), radius2));
}

using Targets = std::vector<std::uint32_t>;

/// A node to be cut out and the target boxes that its ancestors do not satisfy.
struct Task {
  std::uint32_t source = 0;  ///< node of the local tree
  std::uint32_t place = 0;   ///< its place in the cut's stem
  Targets targets;
  EssentialCut branch;  ///< what grows from it, counted from the branch's own beginning
};

/// Cuts one tree for one domain: the stem by one thread, node by node, then the branches by all.
class Cutter {
 public:
  Cutter(const LocalTree& local, std::span<const TargetBox> targets) : local_(local), targets_(targets) {}

  EssentialCut operator()() {
    Targets all(targets_.size());
    for (std::uint32_t t = 0; t < all.size(); ++t) all[t] = t;
    stem_.node.push_back(cell_of(local_, 0));
    const std::uint32_t branch_size = std::max(local_.tree.node[0].count / branches, 64U);
    std::vector<Task> open{{0, 0, std::move(all), {}}};
    while (!open.empty()) open = next_wave(std::move(open), branch_size);
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      tasks_[t].branch.node.push_back(stem_.node[tasks_[t].place]);
      cut(tasks_[t].source, 0, tasks_[t].targets, tasks_[t].branch);
    }
    return joined();
  }

 private:
  static constexpr std::uint32_t branches = 512;

  /// Opens the nodes of the stem's present level; small ones become branches.
  std::vector<Task> next_wave(std::vector<Task> open, std::uint32_t branch_size) {
    const auto is_branch = [&](const Task& task) { return local_.tree.node[task.source].count <= branch_size; };
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t t = 0; t < open.size(); ++t) {
      if (!is_branch(open[t])) open[t].targets = unsatisfied(open[t].source, open[t].targets);
    }
    std::vector<Task> wave;
    for (Task& task : open) {
      if (is_branch(task)) {
        tasks_.push_back(std::move(task));
        continue;
      }
      const std::uint32_t first = grow(task.source, task.place, task.targets, stem_);
      if (!stem_.node[task.place].inner()) continue;
      const Node& node = local_.tree.node[task.source];
      for (std::uint32_t c = 0; c < node.child_count; ++c) {
        wave.push_back({node.first_child + c, first + c, task.targets, {}});
      }
    }
    return wave;
  }

  [[nodiscard]] bool satisfied(std::uint32_t n, const TargetBox& target) const {
    const WalkNodes& nodes = local_.nodes;
    double radius2 = std::fabs(nodes.radius2[n]);
    if (!nodes.strength.empty()) radius2 = std::max(radius2, nodes.strength[n] * target.scale);
    return distance2(target.box, {nodes.x[n], nodes.y[n], nodes.z[n]}) > radius2;
  }

  [[nodiscard]] Targets unsatisfied(std::uint32_t n, const Targets& among) const {
    Targets left;
    for (const std::uint32_t t : among) {
      if (!satisfied(n, targets_[t])) left.push_back(t);
    }
    return left;
  }

  /// What becomes of a node already written at `place`: nothing more, a leaf with its particles, or an inner node whose
  /// children are appended as cells; returns where they begin.
  std::uint32_t grow(std::uint32_t n, std::uint32_t place, const Targets& near, EssentialCut& cut) const {
    if (near.empty()) return 0;
    const Node& node = local_.tree.node[n];
    if (node.leaf()) {
      cut.node[place].first = static_cast<std::uint32_t>(cut.particle.size());
      cut.node[place].count = node.count;
      const Vec3d origin = cut.node[place].centre_of_mass;
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
        cut.particle.push_back({Vec3f(local_.tree.position[i] - origin), local_.tree.mass[i]});
      }
      return 0;
    }
    const auto first = static_cast<std::uint32_t>(cut.node.size());
    cut.node[place].first = first;
    cut.node[place].count = inner_node_flag | node.child_count;
    for (std::uint32_t c = 0; c < node.child_count; ++c) cut.node.push_back(cell_of(local_, node.first_child + c));
    return first;
  }

  void cut(std::uint32_t n, std::uint32_t place, const Targets& among, EssentialCut& branch) const {
    const Targets near = unsatisfied(n, among);
    const std::uint32_t first = grow(n, place, near, branch);
    if (!branch.node[place].inner()) return;
    const Node& node = local_.tree.node[n];
    for (std::uint32_t c = 0; c < node.child_count; ++c) cut(node.first_child + c, first + c, near, branch);
  }

  /// The branches behind the stem, in their order. A branch's first node goes to its place in the stem.
  EssentialCut joined() {
    std::size_t nodes = stem_.node.size(), particles = stem_.particle.size();
    std::vector<std::size_t> node_at, particle_at;
    for (const Task& task : tasks_) {
      node_at.push_back(nodes);
      particle_at.push_back(particles);
      nodes += task.branch.node.size() - 1;
      particles += task.branch.particle.size();
    }
    stem_.node.resize(nodes);
    stem_.particle.resize(particles);
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      const EssentialCut& branch = tasks_[t].branch;
      for (std::size_t n = 0; n < branch.node.size(); ++n) {
        EssentialNode node = branch.node[n];
        if (node.inner()) {
          node.first += static_cast<std::uint32_t>(node_at[t] - 1);
        } else if (node.count > 0) {
          node.first += static_cast<std::uint32_t>(particle_at[t]);
        }
        stem_.node[n == 0 ? tasks_[t].place : node_at[t] + n - 1] = node;
      }
      std::copy(branch.particle.begin(), branch.particle.end(),
                stem_.particle.begin() + static_cast<std::ptrdiff_t>(particle_at[t]));
    }
    return std::move(stem_);
  }

  const LocalTree& local_;
  std::span<const TargetBox> targets_;
  EssentialCut stem_;
  std::vector<Task> tasks_;
};

}  // namespace

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
      target.scale = std::max(target.scale, relative_scale(local.options.alpha, smallest));
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
  const Vec3d extent = box.hi - box.lo;
  const double offset = local.options.mac == Mac::offset ? norm(all.centre_of_mass - box.centre()) : 0;
  const double side = std::max({extent.x, extent.y, extent.z});
  return essential_node(all, std::sqrt(opening_radius2(local.options.mac, local.options.theta, side, offset)));
}

bool cell_suffices(const EssentialNode& cell, const TargetBox& target, Mac mac, double gravitational_constant) {
  const auto radius = static_cast<double>(cell.radius);
  double radius2 = radius * radius;
  if (mac == Mac::relative && std::isfinite(radius)) {
    const double strength = relative_strength(gravitational_constant, static_cast<double>(cell.mass), radius);
    radius2 = std::max(radius2, strength * target.scale);
  }
  return distance2(target.box, cell.centre_of_mass) > radius2;
}

EssentialCut cut_essential_tree(const LocalTree& local, std::span<const TargetBox> targets) {
  if (local.tree.node.empty()) return {};
  return Cutter(local, targets)();
}

}  // namespace multiwalk
