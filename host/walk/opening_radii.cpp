#include "host/walk/opening_radii.hpp"

namespace multiwalk {

float opening_radius(const TreeView& tree, std::uint32_t n, const Multipole& moments, std::uint64_t count,
                     const GravityOptions& options) {
  const Node& node = tree.node[n];
  return opening_radius(tree.cube, tree.key[node.first], node.level, moments.centre_of_mass, count, options);
}

void make_opening_radii(const TreeView& tree, const GravityOptions& options, std::vector<float>& radius) {
  radius.resize(tree.node.size());
#pragma omp parallel for schedule(static)
  for (std::uint32_t n = 0; n < radius.size(); ++n) {
    radius[n] = opening_radius(tree, n, tree.multipole[n], tree.node[n].count, options);
  }
}

}  // namespace multiwalk
