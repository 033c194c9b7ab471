// Level-by-level build: a node with more than leaf_size particles is cut where the next key digit changes.
#include "host/tree/octree.hpp"

#include <algorithm>
#include <array>

#include "host/tree/sfc_key.hpp"

namespace multiwalk {

namespace {

/// First particle of each child digit of node `n`, and one past the last.
std::array<std::uint32_t, 9> child_bounds(std::span<const std::uint64_t> key, const Node& n) {
  std::array<std::uint32_t, 9> bounds{};
  const auto begin = key.begin() + n.first;
  const auto end = begin + n.count;
  auto from = begin;
  for (unsigned digit = 0; digit < 8; ++digit) {
    bounds[digit] = static_cast<std::uint32_t>(from - key.begin());
    from = std::partition_point(from, end, [&](std::uint64_t k) { return child_digit(k, n.level) <= digit; });
  }
  bounds[8] = n.first + n.count;
  return bounds;
}

std::uint16_t occupied(const std::array<std::uint32_t, 9>& bounds) {
  std::uint16_t children = 0;
  for (int digit = 0; digit < 8; ++digit) children += bounds[digit + 1] > bounds[digit];
  return children;
}

/// Appends the children of the level [begin, end); returns how many there are.
std::size_t split_level(std::vector<Node>& node, std::size_t begin, std::size_t end, std::span<const std::uint64_t> key,
                        std::uint32_t leaf_size) {
  std::vector<std::array<std::uint32_t, 9>> bounds(end - begin);
#pragma omp parallel for schedule(dynamic, 64)
  for (std::size_t n = begin; n < end; ++n) {
    if (node[n].count <= leaf_size || node[n].level == key_levels) continue;
    bounds[n - begin] = child_bounds(key, node[n]);
    node[n].child_count = occupied(bounds[n - begin]);
  }
  std::size_t next = end;
  for (std::size_t n = begin; n < end; ++n) {
    if (node[n].leaf()) continue;
    node[n].first_child = static_cast<std::uint32_t>(next);
    next += node[n].child_count;
  }
  node.resize(next);
#pragma omp parallel for schedule(static)
  for (std::size_t n = begin; n < end; ++n) {
    if (node[n].leaf()) continue;
    const auto& bound = bounds[n - begin];
    std::uint32_t child = node[n].first_child;
    for (int digit = 0; digit < 8; ++digit) {
      if (bound[digit + 1] == bound[digit]) continue;
      node[child++] = {bound[digit], bound[digit + 1] - bound[digit], 0, 0,
                       static_cast<std::uint16_t>(node[n].level + 1)};
    }
  }
  return next - end;
}

}  // namespace

TreeView Octree::view() const {
  return {cube_, node_, multipole_, position_, mass_, key_};
}

void build_octree(const ParticleStore& particles, const Cube& cube, const TreeOptions& options, Octree& tree) {
  tree.cube_ = cube;
  tree.position_ = particles.position;
  tree.mass_ = particles.mass;
  tree.key_ = particles.key;
  tree.level_offset_ = {0};
  tree.node_.clear();
  if (!particles.empty()) tree.node_.push_back({0, static_cast<std::uint32_t>(particles.size()), 0, 0, 0});
  std::size_t begin = 0;
  std::size_t count = tree.node_.size();
  while (count > 0) {
    tree.level_offset_.push_back(static_cast<std::uint32_t>(begin + count));
    const std::size_t added = split_level(tree.node_, begin, begin + count, particles.key, options.leaf_size);
    begin += count;
    count = added;
  }
  compute_moments(tree);
}

Octree build_octree(const ParticleStore& particles, const Cube& cube, const TreeOptions& options) {
  Octree tree;
  build_octree(particles, cube, options, tree);
  return tree;
}

}  // namespace multiwalk
