#include "host/walk/opening_radii.hpp"

#include <limits>

#include "host/tree/acceptance.hpp"
#include "host/tree/sfc_key.hpp"

namespace multiwalk {

float opening_radius(const TreeView& tree, std::uint32_t n, const Multipole& moments, std::uint64_t count,
                     const GravityOptions& options) {
  if (count <= always_opened_count(options.multipole)) return std::numeric_limits<float>::infinity();
  const Node& node = tree.node[n];
  const double offset = options.mac == Mac::offset
                            ? norm(moments.centre_of_mass - cell_centre(tree.cube, tree.key[node.first], node.level))
                            : 0;
  return static_cast<float>(opening_radius(options.mac, options.theta, tree.side(n), offset));
}

void make_opening_radii(const TreeView& tree, const GravityOptions& options, std::vector<float>& radius) {
  radius.resize(tree.node.size());
#pragma omp parallel for schedule(static)
  for (std::uint32_t n = 0; n < radius.size(); ++n) {
    radius[n] = opening_radius(tree, n, tree.multipole[n], tree.node[n].count, options);
  }
}

}  // namespace multiwalk
