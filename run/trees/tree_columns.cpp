// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/trees/tree_columns.hpp"

#include <algorithm>

#include "run/trees/row_columns.hpp"

namespace multiwalk {

TreeColumns::TreeColumns(const std::string& path) {
  const hdf5::File file = hdf5::File::open(path);
  const auto group = [&](const char* name) { return file.group_of(name, "merger trees"); };
  const hdf5::Object table = group("TreeTable"), halos = group("TreeHalos");
  main_progenitor = read_column<std::int64_t>(halos, "TreeMainProgenitor");
  descendant = read_column<std::int64_t>(halos, "TreeDescendant");
  output = read_column<std::int64_t>(halos, "SnapNum");
  particles = read_column<std::int64_t>(halos, "SubhaloLen");
  mass = read_column<double>(halos, "SubhaloMass");
  v_max = read_column<double>(halos, "SubhaloVmax");
  place = read_column<double>(halos, "SubhaloPos", 3);
  redshift = read_column<double>(group("TreeTimes"), "Redshift");
  const auto tree = read_column<std::int64_t>(halos, "TreeID"), start = read_column<std::int64_t>(table, "StartOffset");
  trees = start.size();
  for (std::size_t row = 0; row < tree.size(); ++row) {
    for (std::int64_t* link : {&main_progenitor[row], &descendant[row]})
      if (*link >= 0) *link += start[static_cast<std::size_t>(tree[row])];
    if (descendant[row] < 0) root.push_back(row);
  }
  std::ranges::stable_sort(root, [this](std::size_t a, std::size_t b) {
    return output[a] != output[b] ? output[a] > output[b] : mass[a] > mass[b];
  });
}

std::vector<std::size_t> TreeColumns::main_branch(std::size_t row) const {
  std::vector<std::size_t> branch{row};
  while (main_progenitor[branch.back()] >= 0)
    branch.push_back(static_cast<std::size_t>(main_progenitor[branch.back()]));
  return branch;
}

std::size_t TreeColumns::end_of(std::size_t root_row) const {
  const auto next = std::find_if(descendant.begin() + static_cast<std::ptrdiff_t>(root_row) + 1, descendant.end(),
                                 [](std::int64_t after) { return after < 0; });
  return static_cast<std::size_t>(next - descendant.begin());
}

}  // namespace multiwalk
