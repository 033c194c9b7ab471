// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/walk/walk_families.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>

namespace multiwalk {

namespace {

/// Writes the number of each inner node's family, counted from 1 in the nodes' order; returns how many there are.
std::uint32_t number_families(std::span<const Node> node, std::uint32_t* family) {
  std::vector<std::uint32_t> begin(static_cast<std::size_t>(omp_get_max_threads()) + 1, 0);
#pragma omp parallel
  {
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    const auto t = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t first = node.size() * t / threads, end = node.size() * (t + 1) / threads;
    std::uint32_t inner = 0;
    for (std::size_t n = first; n < end; ++n) inner += node[n].leaf() ? 0 : 1;
    begin[t + 1] = inner;
#pragma omp barrier
#pragma omp single
    for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
    inner = begin[t];
    for (std::size_t n = first; n < end; ++n) family[n] = node[n].leaf() ? 0 : ++inner;
  }
  return begin.back();
}

/// Makes the records of a tree's families.
struct FamilyWriter {
  const TreeView& tree;
  std::span<const float> radius;
  FamilyRules rules;

  /// The family of children first, first + 1, ..., with the families `below` them.
  [[nodiscard]] WalkFamily operator()(std::uint32_t first, std::uint32_t count, float reach,
                                      const std::uint32_t* below) const {
    WalkFamily family{};
    family.reach = reach;
    family.first = first;
    family.present = static_cast<std::uint8_t>((1U << count) - 1);
    for (std::uint32_t c = 0; c < count; ++c) {
      const std::uint32_t n = first + c;
      rules.write(family, c, tree.multipole[n], radius[n], tree.node[n].leaf(), below[c]);
    }
    return family;
  }
};

}  // namespace

void WalkFamilies::make(const TreeView& tree, std::span<const float> radius, const OpeningCriterion& criterion,
                        double gravitational_constant) {
  std::uint32_t* below = below_.reserve(tree.node.size());
  const std::uint32_t inner = number_families(tree.node, below);
  WalkFamily* family = family_.reserve(std::size_t{inner} + 1);
  view_ = {tree.node.data(), family, tree.cube.corner, walk_units_per_length(tree.cube), tree.cube.periodic};
  const FamilyWriter write{tree, radius, {tree.cube, criterion, gravitational_constant}};
  family[0] = write(0, tree.node.empty() ? 0 : 1, write.rules.reach(tree.cube.side), below);
#pragma omp parallel for schedule(static)
  for (std::size_t n = 0; n < tree.node.size(); ++n) {
    const Node& node = tree.node[n];
    if (node.leaf()) continue;
    const float reach = write.rules.reach(0.5 * tree.side(n));
    family[below[n]] = write(node.first_child, node.child_count, reach, below + node.first_child);
  }
}

void rewrite_families(std::span<WalkFamily> family, const TreeView& tree, std::span<const float> radius,
                      const OpeningCriterion& criterion, double gravitational_constant,
                      std::span<const std::uint32_t> nodes) {
  // Families come in the order of their children.
  std::vector<std::size_t> changed(nodes.size());
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const auto after = std::ranges::upper_bound(family, nodes[k], {}, &WalkFamily::first);
    changed[k] = static_cast<std::size_t>(after - family.begin()) - 1;
  }
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  const FamilyWriter write{tree, radius, {tree.cube, criterion, gravitational_constant}};
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < changed.size(); ++k) {
    const WalkFamily old = family[changed[k]];
    family[changed[k]] = write(old.first, static_cast<std::uint32_t>(std::popcount(old.present)), old.reach, old.below);
  }
}

}  // namespace multiwalk
