// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/walk/opening_radii.hpp"

namespace multiwalk {

void make_opening_radii(const TreeView& tree, const GravityOptions& options, std::vector<float>& radius) {
  radius.resize(tree.node.size());
#pragma omp parallel for schedule(static)
  for (std::uint32_t n = 0; n < radius.size(); ++n) {
    const Node& node = tree.node[n];
    radius[n] = opening_radius(tree.cube, tree.key[node.first], node.level, tree.multipole[n].centre_of_mass,
                               node.count, options);
  }
}

}  // namespace multiwalk
