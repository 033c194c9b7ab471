#include "host/walk/walk_nodes.hpp"

#include <limits>

#include "host/tree/acceptance.hpp"
#include "host/tree/sfc_key.hpp"

namespace multiwalk {

void set_walk_node(const TreeView& tree, std::uint32_t n, const Multipole& moments, std::uint64_t count,
                   const GravityOptions& options, double gravitational_constant, WalkNodes& result) {
  const Node& node = tree.node[n];
  const Vec3d com = moments.centre_of_mass;
  const double side = tree.side(n);
  const double offset =
      options.mac == Mac::offset ? norm(com - cell_centre(tree.cube, tree.key[node.first], node.level)) : 0;
  result.x[n] = com.x;
  result.y[n] = com.y;
  result.z[n] = com.z;
  result.radius2[n] = count <= always_opened_count(options.multipole)
                          ? std::numeric_limits<double>::infinity()
                          : opening_radius2(options.mac, options.theta, side, offset);
  if (options.mac == Mac::relative) {
    result.strength[n] = relative_strength(gravitational_constant, static_cast<double>(moments.mass), side);
  }
}

void make_walk_nodes(const TreeView& tree, const GravityOptions& options, double gravitational_constant,
                     WalkNodes& result) {
  const std::size_t nodes = tree.node.size();
  for (std::vector<double>* column : {&result.x, &result.y, &result.z, &result.radius2}) column->resize(nodes + 8);
  result.strength.resize(options.mac == Mac::relative ? nodes + 8 : 0);
#pragma omp parallel for schedule(static)
  for (std::uint32_t n = 0; n < nodes; ++n) {
    set_walk_node(tree, n, tree.multipole[n], tree.node[n].count, options, gravitational_constant, result);
  }
}

}  // namespace multiwalk
