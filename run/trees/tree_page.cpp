// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/trees/tree_page.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "run/files/atomic_file.hpp"
#include "run/pages/page.hpp"
#include "run/trees/tree_columns.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

constexpr std::size_t most_histories = 10, most_side_branches = 14;

/// The halos that descend to a root, as branches: a branch begins at its last halo.
class Branches {
 public:
  Branches(const TreeColumns& trees, std::size_t root) : trees_(trees), root_(root) {
    const std::size_t end = trees.end_of(root);
    start_.resize(end - root);
    for (std::size_t row = root; row < end; ++row) {
      const std::int64_t after = trees.descendant[row];
      if (after >= 0 && trees.main_progenitor[static_cast<std::size_t>(after)] == static_cast<std::int64_t>(row))
        continue;
      starts_.push_back(row);
      for (const std::size_t each : trees.main_branch(row)) start_[each - root] = row;
    }
  }

  [[nodiscard]] json drawn() const {
    std::vector<std::size_t> starts = starts_;
    std::ranges::stable_sort(starts, std::greater<>(), [&](std::size_t s) { return s == root_ ? 1e300 : peak(s); });
    starts.resize(std::min(starts.size(), 1 + most_side_branches));
    const std::set<std::size_t> all(starts.begin(), starts.end());
    json list = json::array();
    for (const std::size_t s : starts)
      list.push_back({{"id", s}, {"into", branch_after(s, all)}, {"nodes", nodes(trees_, s)}});
    return list;
  }

  /// [{a, mass}] from the last halo of a branch back in time; mass in Msun/h.
  static json nodes(const TreeColumns& trees, std::size_t start) {
    json all = json::array();
    for (const std::size_t row : trees.main_branch(start))
      all.push_back({{"a", 1 / (1 + trees.redshift_of(row))}, {"mass", 1e10 * trees.mass[row]}});
    return all;
  }

 private:
  [[nodiscard]] double peak(std::size_t start) const {
    double most = 0;
    for (const std::size_t row : trees_.main_branch(start)) most = std::max(most, trees_.mass[row]);
    return most;
  }

  /// The first of these branches into which the branch merges, directly or through others; -1: none.
  [[nodiscard]] std::int64_t branch_after(std::size_t start, const std::set<std::size_t>& among) const {
    for (std::int64_t after = trees_.descendant[start]; after >= 0;) {
      const std::size_t branch = start_[static_cast<std::size_t>(after) - root_];
      if (among.contains(branch)) return static_cast<std::int64_t>(branch);
      after = trees_.descendant[branch];
    }
    return -1;
  }

  const TreeColumns& trees_;
  std::size_t root_;
  std::vector<std::size_t> starts_;  ///< last halos of the branches
  std::vector<std::size_t> start_;   ///< (halos) the last of the branch of each
};

}  // namespace

json tree_page_data(const std::string& tree_file) {
  const TreeColumns trees(tree_file);
  json data{{"title", std::filesystem::path(tree_file).filename().string()},
            {"trees", trees.trees},
            {"subhalos", trees.mass.size()},
            {"outputs", trees.redshift.size()},
            {"halos", json::array()},
            {"tree", nullptr}};
  for (std::size_t r = 0; r < std::min(most_histories, trees.root.size()); ++r)
    data["halos"].push_back({{"nodes", Branches::nodes(trees, trees.root[r])}});
  if (!trees.root.empty()) data["tree"] = {{"branches", Branches(trees, trees.root.front()).drawn()}};
  return data;
}

void write_tree_page(const std::string& path, const std::string& tree_file) {
  write_file_atomically(path, page(PageKind::trees, tree_page_data(tree_file)));
}

}  // namespace multiwalk
