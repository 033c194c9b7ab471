// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/tree/moments.hpp"

namespace multiwalk {

Multipole merge_multipoles(std::span<const Multipole> children) {
  return multipole_of_cells(children.data(), static_cast<std::uint32_t>(children.size()));
}

void compute_moments(Octree& tree) {
  tree.multipole_.resize(tree.node_.size());
  const TreeView view = tree.view();
  Multipole* multipole = tree.multipole_.data();
  for (std::size_t level = tree.level_offset_.size() - 1; level-- > 0;) {
#pragma omp parallel for schedule(dynamic, 256)
    for (std::uint32_t n = tree.level_offset_[level]; n < tree.level_offset_[level + 1]; ++n) {
      const Node& node = view.node[n];
      multipole[n] = node.leaf()
                         ? multipole_of_particles(&view.position[node.first], &view.mass[node.first], node.count)
                         : multipole_of_cells(multipole + node.first_child, node.child_count);
    }
  }
}

}  // namespace multiwalk
