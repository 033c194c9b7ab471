// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/walk/group.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace multiwalk {

namespace {

/// The groups that are children of an opened node.
void add_children(const TreeView& tree, const Node& parent, const GroupRule& rule, std::vector<Group>& groups) {
  const OctantCounts octants(tree.node.data(), tree.key.data(), parent);
  unsigned end = 0;  // end of the octants of the group added last
  for (std::uint32_t c = parent.first_child; c < parent.first_child + parent.child_count; ++c) {
    const Node& child = tree.node[c];
    if (rule.divides(child)) continue;
    const unsigned digit = child_digit(tree.key[child.first], parent.level);
    if (digit < end) {
      groups.back().count += child.count;
      ++groups.back().nodes;
      continue;
    }
    end = octants.end_of_group(digit, rule.most, rule.merges_children(parent));
    groups.push_back({{}, child.first, child.count, c, 1});
  }
}

void add_runs(const Node& leaf, std::uint32_t index, std::uint32_t group_size, std::vector<Group>& groups) {
  for (std::uint32_t done = 0; done < leaf.count; done += group_size) {
    groups.push_back({{}, leaf.first + done, std::min(group_size, leaf.count - done), index, 1});
  }
}

}  // namespace

std::vector<Group> make_groups(const TreeView& tree, std::uint32_t group_size) {
  std::vector<Group> groups;
  if (tree.node.empty()) return groups;
  const GroupRule rule{group_size, tree.cube.periodic};
  for (std::uint32_t n = 0; n < tree.node.size(); ++n) {
    const Node& node = tree.node[n];
    if (!rule.divides(node)) continue;
    if (node.leaf()) {
      add_runs(node, n, group_size, groups);
    } else {
      add_children(tree, node, rule, groups);
    }
  }
  if (!rule.divides(tree.node[0])) groups.push_back({{}, 0, tree.node[0].count, 0, 1});
  std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.first < b.first; });
#pragma omp parallel for schedule(static)
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const Vec3d& p : tree.position.subspan(groups[g].first, groups[g].count)) groups[g].box.include(p);
  }
  return groups;
}

JudgedGroups split_wide_groups(std::span<const Group> groups, std::span<const double> smallest, double side,
                               const std::function<Vec3d(std::uint32_t)>& position) {
  const auto wide = [&](const Group& group) {
    const Vec3d extent = group.box.hi - group.box.lo;
    return std::max({extent.x, extent.y, extent.z}) > side;
  };
  const auto cell_of = [&](Vec3d p) {
    const double per_length = 1 / side;
    return std::array{std::floor(p.x * per_length), std::floor(p.y * per_length), std::floor(p.z * per_length)};
  };
  JudgedGroups cut;
  if (std::none_of(groups.begin(), groups.end(), wide)) return cut;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!wide(groups[g])) {
      cut.groups.push_back(groups[g]);
    } else {
      const std::uint32_t end = groups[g].first + groups[g].count;
      for (std::uint32_t place = groups[g].first; place < end; ++place) {
        const Vec3d p = position(place);
        if (place == groups[g].first || cell_of(p) != cell_of(cut.groups.back().box.lo)) {
          cut.groups.push_back({{p, p}, place, 0, groups[g].node, groups[g].nodes});
        }
        cut.groups.back().box.include(p);
        ++cut.groups.back().count;
      }
    }
    if (!smallest.empty()) cut.smallest.resize(cut.groups.size(), smallest[g]);
  }
  return cut;
}

std::vector<double> smallest_accelerations(const TreeView& tree, std::span<const Group> groups,
                                           std::span<const Vec3f> acceleration, double background,
                                           std::span<const std::uint32_t> order) {
  std::vector<double> smallest(groups.size());
#pragma omp parallel for schedule(static)
  for (std::size_t g = 0; g < groups.size(); ++g) {
    double least2 = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = groups[g].first; i < groups[g].first + groups[g].count; ++i) {
      const Vec3d own(acceleration[order.empty() ? i : order[i]]);
      least2 = std::min(least2, norm2(own + background * tree.position[i]));
    }
    smallest[g] = std::sqrt(least2);
  }
  return smallest;
}

}  // namespace multiwalk
