// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/essential_trees/essential_forest.hpp"

#include <algorithm>
#include <cmath>

#include "host/tree/sfc_key.hpp"
#include "host/walk/opening_radii.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t arity = 8;  // nodes that a walk tests at once

Multipole multipole_of(const EssentialNode& n) {
  return {n.centre_of_mass, n.mass, n.xx, n.xy, n.xz, n.yy, n.yz, n.zz};
}

FarCell merged(std::span<const FarCell> cells, std::uint32_t first_child, const Cube& cube,
               const GravityOptions& options) {
  FarCell parent;
  std::vector<Multipole> moments;
  for (const FarCell& child : cells) {
    parent.box.include(child.box);
    moments.push_back(multipole_of(child.cell));
  }
  const Multipole m = merge_multipoles(moments);
  parent.cell = {m.centre_of_mass,
                 m.mass,
                 m.xx,
                 m.xy,
                 m.xz,
                 m.yy,
                 m.yz,
                 m.zz,
                 opening_radius(cube, parent.box, m.centre_of_mass, options),
                 first_child,
                 inner_count(static_cast<std::uint32_t>(cells.size()), 0)};
  return parent;
}

std::vector<FarCell> in_key_order(std::span<const FarCell> cells) {
  Box box;
  for (const FarCell& c : cells) box.include(c.cell.centre_of_mass);
  const Cube cube = enclosing_cube(box);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (const FarCell& c : cells) {
    const std::uint64_t key = morton_key(c.cell.centre_of_mass, cube.corner, key_cells_per_length(cube));
    order.emplace_back(key, static_cast<std::uint32_t>(order.size()));
  }
  std::sort(order.begin(), order.end());
  std::vector<FarCell> sorted;
  for (const auto& [key, index] : order) sorted.push_back(cells[index]);
  return sorted;
}

/// Sizes of the levels of always-opened cells above `trees` roots, topmost first.
std::vector<std::uint32_t> levels_above(std::size_t trees) {
  std::vector<std::uint32_t> levels;
  while (trees > 1) {
    trees = (trees + arity - 1) / arity;
    levels.insert(levels.begin(), static_cast<std::uint32_t>(trees));
  }
  return levels;
}

}  // namespace

std::vector<EssentialNode> merge_far_cells(std::span<const FarCell> cells, const Cube& cube,
                                           const GravityOptions& options) {
  if (cells.empty()) return {};
  // Builds levels from the leaves up, then writes them from the root down, so that children follow their parents.
  std::vector<std::vector<FarCell>> levels{in_key_order(cells)};
  while (levels.back().size() > 1) {
    const std::vector<FarCell>& below = levels.back();
    std::vector<FarCell> level;
    for (std::size_t first = 0; first < below.size(); first += arity) {
      const std::size_t count = std::min(arity, below.size() - first);
      level.push_back(merged(std::span(below).subspan(first, count), static_cast<std::uint32_t>(first), cube, options));
    }
    levels.push_back(std::move(level));
  }
  std::vector<EssentialNode> nodes;
  for (std::size_t level = levels.size(); level-- > 0;) {
    const auto next = static_cast<std::uint32_t>(nodes.size() + levels[level].size());
    for (const FarCell& far : levels[level]) {
      nodes.push_back(far.cell);
      if (level > 0) nodes.back().first += next;
    }
  }
  return nodes;
}

void EssentialForest::set_node(std::uint32_t at, const EssentialNode& node, std::uint32_t first) {
  const bool cell_only = node.count == 0;
  multipole_[at] = multipole_of(node);
  node_[at] = {0, 0, 0, 0, 0};
  if (node.inner()) {
    node_[at].first_child = first;
    node_[at].child_count = static_cast<std::uint16_t>(node.children());
    node_[at].level = static_cast<std::uint16_t>(node.level());
  } else {
    node_[at].first = first;
    node_[at].count = node.count;
  }
  radius_[at] = cell_only ? std::copysign(0.0F, node.radius) : node.radius;
}

void EssentialForest::assemble(std::span<const Tree> trees, const Cube& cube, const OpeningCriterion& criterion,
                               double gravitational_constant) {
  const std::vector<std::uint32_t> levels = levels_above(trees.size());
  std::size_t above = 0;
  for (const std::uint32_t count : levels) above += count;
  std::size_t nodes = above + trees.size(), particles = 0;
  std::vector<std::uint32_t> node_at, particle_at;
  for (const Tree& tree : trees) {
    node_at.push_back(static_cast<std::uint32_t>(nodes));
    particle_at.push_back(static_cast<std::uint32_t>(particles));
    nodes += tree.node.size() - 1;
    particles += tree.particle.size();
  }
  node_.resize(nodes);
  multipole_.resize(nodes);
  radius_.resize(nodes);
  position_.resize(particles);
  mass_.resize(particles);

  std::uint32_t at = 0;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const std::uint32_t next = at + levels[level];
    const auto below = static_cast<std::uint32_t>(level + 1 < levels.size() ? levels[level + 1] : trees.size());
    for (std::uint32_t n = 0; n < levels[level]; ++n, ++at) {
      const auto first = static_cast<std::uint32_t>(n * arity);
      EssentialNode opened;
      opened.radius = std::numeric_limits<float>::infinity();
      opened.count = inner_count(std::min(static_cast<std::uint32_t>(arity), below - first), 0);
      set_node(at, opened, next + first);
    }
  }
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const std::span<const EssentialNode> node = trees[t].node;
#pragma omp parallel for schedule(static)
    for (std::size_t n = 0; n < node.size(); ++n) {
      const std::uint32_t place = static_cast<std::uint32_t>(n == 0 ? above + t : node_at[t] + n - 1);
      const bool leaf = !node[n].inner() && node[n].count > 0;
      const std::uint32_t first = node[n].inner() ? node_at[t] + node[n].first - 1 : particle_at[t] + node[n].first;
      set_node(place, node[n], first);
      if (!leaf) continue;
      for (std::uint32_t i = 0; i < node[n].count; ++i) {
        const EssentialParticle& particle = trees[t].particle[node[n].first + i];
        position_[first + i] = node[n].centre_of_mass + Vec3d(particle.offset);
        mass_[first + i] = particle.mass;
      }
    }
  }
  source_ = {{cube, node_, multipole_, position_, mass_, {}}, &families_};
  families_.make(source_.tree, radius_, criterion, gravitational_constant);
}

}  // namespace multiwalk
