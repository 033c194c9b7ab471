#include "host/walk/walk_families.hpp"

#include <omp.h>

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

}  // namespace

void WalkFamilies::make(const TreeView& tree, std::span<const float> radius, Mac mac, double gravitational_constant) {
  std::uint32_t* below = below_.reserve(tree.node.size());
  const std::uint32_t inner = number_families(tree.node, below);
  WalkFamily* family = family_.reserve(std::size_t{inner} + 1);
  view_ = {tree.node.data(), family, tree.cube.corner, walk_units_per_length(tree.cube), tree.cube.periodic};
  const FamilyRules rules(tree.cube, mac, gravitational_constant);
  const auto write = [&](WalkFamily& record, std::uint32_t first, std::uint32_t count, double side) {
    record = {};
    record.reach = rules.reach(side);
    record.first = first;
    record.present = static_cast<std::uint8_t>((1U << count) - 1);
    for (std::uint32_t c = 0; c < count; ++c) {
      const std::uint32_t n = first + c;
      rules.write(record, c, tree.multipole[n], radius[n], tree.node[n].leaf(), below[n]);
    }
  };
  write(family[0], 0, tree.node.empty() ? 0 : 1, tree.cube.side);
#pragma omp parallel for schedule(static)
  for (std::size_t n = 0; n < tree.node.size(); ++n) {
    const Node& node = tree.node[n];
    if (!node.leaf()) write(family[below[n]], node.first_child, node.child_count, 0.5 * tree.side(n));
  }
}

}  // namespace multiwalk
