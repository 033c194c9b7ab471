// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/trees/tree_page.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/pages/page.hpp"
#include "run/trees/row_columns.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

constexpr std::size_t most_histories = 10, most_side_branches = 14;

struct Columns {
  std::vector<std::int64_t> first, length, main_progenitor, descendant, output;
  std::vector<double> mass, redshift;

  explicit Columns(const hdf5::File& file) {
    const auto group = [&](const char* name) {
      std::optional<hdf5::Object> found = file.group(name);
      if (!found) throw InputError(file.name() + " has no group " + name + ": it is not a file of merger trees");
      return std::move(*found);
    };
    const hdf5::Object table = group("TreeTable"), halos = group("TreeHalos");
    first = read_column<std::int64_t>(table, "StartOffset");
    length = read_column<std::int64_t>(table, "Length");
    main_progenitor = read_column<std::int64_t>(halos, "TreeMainProgenitor");
    descendant = read_column<std::int64_t>(halos, "TreeDescendant");
    output = read_column<std::int64_t>(halos, "SnapNum");
    mass = read_column<double>(halos, "SubhaloMass");
    redshift = read_column<double>(group("TreeTimes"), "Redshift");
  }
};

/// The nodes of one tree, counted from 0, as branches: a branch begins at its last node.
class Tree {
 public:
  Tree(const Columns& columns, std::size_t tree)
      : columns_(columns), first_(static_cast<std::size_t>(columns.first[tree])) {
    const auto nodes = static_cast<std::size_t>(columns.length[tree]);
    start_.resize(nodes);
    for (std::size_t n = 0; n < nodes; ++n) {
      const std::int64_t after = columns.descendant[first_ + n];
      if (after != -1 && main_progenitor(static_cast<std::size_t>(after)) == static_cast<std::int64_t>(n)) continue;
      starts_.push_back(n);
      for (std::int64_t m = static_cast<std::int64_t>(n); m != -1; m = main_progenitor(static_cast<std::size_t>(m)))
        start_[static_cast<std::size_t>(m)] = n;
    }
  }

  /// [{a, mass}] from the last node of a branch back in time; mass in Msun/h.
  [[nodiscard]] json nodes(std::size_t start) const {
    json all = json::array();
    for (auto m = static_cast<std::int64_t>(start); m != -1; m = main_progenitor(static_cast<std::size_t>(m))) {
      const std::size_t row = first_ + static_cast<std::size_t>(m);
      const double z = columns_.redshift[static_cast<std::size_t>(columns_.output[row])];
      all.push_back({{"a", 1 / (1 + z)}, {"mass", 1e10 * columns_.mass[row]}});
    }
    return all;
  }

  [[nodiscard]] json branches() const {
    std::vector<std::size_t> drawn = starts_;
    std::ranges::stable_sort(drawn, std::greater<>(), [&](std::size_t s) { return s == 0 ? 1e300 : peak(s); });
    drawn.resize(std::min(drawn.size(), 1 + most_side_branches));
    const std::set<std::size_t> all(drawn.begin(), drawn.end());
    json list = json::array();
    for (const std::size_t s : drawn) list.push_back({{"id", s}, {"into", branch_after(s, all)}, {"nodes", nodes(s)}});
    return list;
  }

 private:
  [[nodiscard]] std::int64_t main_progenitor(std::size_t n) const { return columns_.main_progenitor[first_ + n]; }

  [[nodiscard]] double peak(std::size_t start) const {
    double most = 0;
    for (auto m = static_cast<std::int64_t>(start); m != -1; m = main_progenitor(static_cast<std::size_t>(m)))
      most = std::max(most, columns_.mass[first_ + static_cast<std::size_t>(m)]);
    return most;
  }

  /// The first of these branches into which the branch merges, directly or through others; -1: none.
  [[nodiscard]] std::int64_t branch_after(std::size_t start, const std::set<std::size_t>& among) const {
    for (std::int64_t after = columns_.descendant[first_ + start]; after != -1;) {
      const std::size_t branch = start_[static_cast<std::size_t>(after)];
      if (among.contains(branch)) return static_cast<std::int64_t>(branch);
      after = columns_.descendant[first_ + branch];
    }
    return -1;
  }

  const Columns& columns_;
  std::size_t first_;
  std::vector<std::size_t> starts_;  ///< last nodes of the branches
  std::vector<std::size_t> start_;   ///< (nodes) the last node of the branch of each
};

}  // namespace

json tree_page_data(const std::string& tree_file) {
  const Columns columns(hdf5::File::open(tree_file));
  json data{{"title", std::filesystem::path(tree_file).filename().string()},
            {"trees", columns.first.size()},
            {"subhalos", columns.mass.size()},
            {"outputs", columns.redshift.size()},
            {"halos", json::array()},
            {"tree", nullptr}};
  for (std::size_t t = 0; t < std::min(most_histories, columns.first.size()); ++t)
    data["halos"].push_back({{"nodes", Tree(columns, t).nodes(0)}});
  if (!columns.first.empty()) data["tree"] = {{"branches", Tree(columns, 0).branches()}};
  return data;
}

void write_tree_page(const std::string& path, const std::string& tree_file) {
  write_file_atomically(path, page(PageKind::trees, tree_page_data(tree_file)));
}

}  // namespace multiwalk
