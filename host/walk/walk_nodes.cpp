#include "host/walk/walk_nodes.hpp"

#include <limits>

#include "host/tree/acceptance.hpp"
#include "host/tree/sfc_key.hpp"

namespace multiwalk {

void make_walk_nodes(const TreeView& tree, const GravityOptions& options, double gravitational_constant,
                     WalkNodes& result) {
  const std::size_t nodes = tree.node.size();
  const bool relative = options.mac == Mac::relative;
  for (std::vector<double>* column : {&result.x, &result.y, &result.z, &result.radius2}) column->resize(nodes + 8);
  result.strength.resize(relative ? nodes + 8 : 0);
  const std::uint32_t opened_count = always_opened_count(options.multipole);
#pragma omp parallel for schedule(static)
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const Node& node = tree.node[n];
    const Vec3d com = tree.multipole[n].centre_of_mass;
    const double side = tree.side(n);
    const double offset =
        options.mac == Mac::offset ? norm(com - cell_centre(tree.cube, tree.key[node.first], node.level)) : 0;
    result.x[n] = com.x;
    result.y[n] = com.y;
    result.z[n] = com.z;
    result.radius2[n] = node.count <= opened_count ? std::numeric_limits<double>::infinity()
                                                   : opening_radius2(options.mac, options.theta, side, offset);
    if (relative) {
      result.strength[n] = relative_strength(gravitational_constant, static_cast<double>(tree.multipole[n].mass), side);
    }
  }
}

}  // namespace multiwalk
