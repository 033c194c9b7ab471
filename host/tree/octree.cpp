// SPDX-License-Identifier: GPL-3.0-or-later
// Level-by-level build: a node with more than leaf_size particles is split where the next key digit changes.
#include "host/tree/octree.hpp"

#include <algorithm>
#include <numeric>

#include "host/tree/sfc_key.hpp"

namespace multiwalk {

namespace {

/// First particle of each child digit of node `n`, and one past the last.
ChildBounds child_bounds(std::span<const std::uint64_t> key, const Node& n) {
  ChildBounds bounds{};
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

std::uint16_t occupied(const ChildBounds& bounds) {
  std::uint16_t children = 0;
  for (int digit = 0; digit < 8; ++digit) children += bounds[digit + 1] > bounds[digit];
  return children;
}

void write_children(std::vector<Node>& node, Node& parent, const ChildBounds& bound, std::size_t first_child) {
  parent.first_child = static_cast<std::uint32_t>(first_child);
  for (int digit = 0; digit < 8; ++digit) {
    if (bound[digit + 1] == bound[digit]) continue;
    node[first_child++] = {bound[digit], bound[digit + 1] - bound[digit], 0, 0,
                           static_cast<std::uint16_t>(parent.level + 1)};
  }
}

/// Appends the children of the level [begin, end); returns how many there are.
std::size_t split_level(std::vector<Node>& node, std::size_t begin, std::size_t end, std::span<const std::uint64_t> key,
                        std::uint32_t leaf_size, ChildBounds* bounds) {
  constexpr std::size_t chunk = 1024;
  const std::size_t chunks = (end - begin + chunk - 1) / chunk;
  std::vector<std::size_t> next(chunks + 1, end);  // where each chunk's children are written
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t c = 0; c < chunks; ++c) {
    std::size_t children = 0;
    for (std::size_t n = begin + c * chunk; n < std::min(begin + (c + 1) * chunk, end); ++n) {
      if (node[n].count <= leaf_size || node[n].level == key_levels) continue;
      bounds[n - begin] = child_bounds(key, node[n]);
      node[n].child_count = occupied(bounds[n - begin]);
      children += node[n].child_count;
    }
    next[c + 1] = children;
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  node.resize(next.back());
#pragma omp parallel for schedule(static)
  for (std::size_t c = 0; c < chunks; ++c) {
    std::size_t child = next[c];
    for (std::size_t n = begin + c * chunk; n < std::min(begin + (c + 1) * chunk, end); ++n) {
      if (node[n].leaf()) continue;
      write_children(node, node[n], bounds[n - begin], child);
      child += node[n].child_count;
    }
  }
  return node.size() - end;
}

}  // namespace

TreeView Octree::view() const {
  return {cube_, node_, multipole_, position_, mass_, key_};
}

void build_octree(const SortedParticles& particles, const Cube& cube, const TreeOptions& options, Octree& tree) {
  tree.cube_ = cube;
  tree.position_ = particles.position;
  tree.mass_ = particles.mass;
  tree.key_ = particles.key;
  tree.level_offset_ = {0};
  tree.node_.clear();
  const auto count_all = static_cast<std::uint32_t>(particles.position.size());
  if (count_all > 0) tree.node_.push_back({0, count_all, 0, 0, 0});
  std::size_t begin = 0;
  std::size_t count = tree.node_.size();
  while (count > 0) {
    tree.level_offset_.push_back(static_cast<std::uint32_t>(begin + count));
    const std::size_t added =
        split_level(tree.node_, begin, begin + count, particles.key, options.leaf_size, tree.bounds_.reserve(count));
    begin += count;
    count = added;
  }
  compute_moments(tree);
}

void build_octree(const ParticleStore& particles, const Cube& cube, const TreeOptions& options, Octree& tree) {
  build_octree(SortedParticles{particles.position, particles.mass, particles.key}, cube, options, tree);
}

Octree build_octree(const ParticleStore& particles, const Cube& cube, const TreeOptions& options) {
  Octree tree;
  build_octree(particles, cube, options, tree);
  return tree;
}

}  // namespace multiwalk
