#include "host/walk/group.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/tree/traverse.hpp"

namespace multiwalk {

namespace {

void add_runs(const Node& node, std::uint32_t index, std::uint32_t group_size, std::vector<Group>& groups) {
  for (std::uint32_t done = 0; done < node.count; done += group_size) {
    groups.push_back({{}, node.first + done, std::min(group_size, node.count - done), index});
  }
}

}  // namespace

std::vector<Group> make_groups(const TreeView& tree, std::uint32_t group_size) {
  std::vector<Group> groups;
  const auto add = [&](std::uint32_t n) { groups.push_back({{}, tree.node[n].first, tree.node[n].count, n}); };
  traverse(
      tree.node, [&](std::uint32_t n) { return tree.node[n].count > group_size; }, add,
      [&](std::uint32_t n) { add_runs(tree.node[n], n, group_size, groups); });
#pragma omp parallel for schedule(static)
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const Vec3d& p : tree.position.subspan(groups[g].first, groups[g].count)) groups[g].box.include(p);
  }
  return groups;
}

std::vector<double> smallest_accelerations(const TreeView& tree, std::span<const Group> groups,
                                           std::span<const Vec3f> acceleration, double background) {
  std::vector<double> smallest(groups.size());
#pragma omp parallel for schedule(static)
  for (std::size_t g = 0; g < groups.size(); ++g) {
    double least2 = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = groups[g].first; i < groups[g].first + groups[g].count; ++i) {
      least2 = std::min(least2, norm2(Vec3d(acceleration[i]) + background * tree.position[i]));
    }
    smallest[g] = std::sqrt(least2);
  }
  return smallest;
}

}  // namespace multiwalk
