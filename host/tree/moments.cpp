// P2M on leaves and M2M upwards: mass, centre of mass and second moment, accumulated in double precision.
#include <utility>

#include "host/tree/octree.hpp"

namespace multiwalk {

namespace {

struct Moments {
  double mass = 0;
  Vec3d first;  // sum m (x - origin)
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;

  void add(double m, Vec3d x) {
    mass += m;
    first += m * x;
    xx += m * x.x * x.x;
    xy += m * x.x * x.y;
    xz += m * x.x * x.z;
    yy += m * x.y * x.y;
    yz += m * x.y * x.z;
    zz += m * x.z * x.z;
  }
  /// Adds a child's own second moment.
  void add_spread(const Multipole& c) {
    xx += static_cast<double>(c.xx);
    xy += static_cast<double>(c.xy);
    xz += static_cast<double>(c.xz);
    yy += static_cast<double>(c.yy);
    yz += static_cast<double>(c.yz);
    zz += static_cast<double>(c.zz);
  }
};

/// Shifts the second moment from `origin` to the centre of mass (parallel axes).
Multipole about_centre_of_mass(const Moments& m, Vec3d origin) {
  const Vec3d shift = m.mass > 0 ? m.first * (1 / m.mass) : Vec3d{};
  const auto moment = [&](double second, double a, double b) { return static_cast<float>(second - m.mass * a * b); };
  return {origin + shift,
          static_cast<float>(m.mass),
          moment(m.xx, shift.x, shift.x),
          moment(m.xy, shift.x, shift.y),
          moment(m.xz, shift.x, shift.z),
          moment(m.yy, shift.y, shift.y),
          moment(m.yz, shift.y, shift.z),
          moment(m.zz, shift.z, shift.z)};
}

Multipole leaf_moments(const TreeView& tree, const Node& leaf) {
  const Vec3d origin = tree.position[leaf.first];
  Moments sum;
  for (std::uint32_t i = leaf.first; i < leaf.first + leaf.count; ++i) {
    sum.add(static_cast<double>(tree.mass[i]), tree.position[i] - origin);
  }
  return about_centre_of_mass(sum, origin);
}

}  // namespace

Multipole merge_multipoles(std::span<const Multipole> children) {
  const Vec3d origin = children[0].centre_of_mass;
  Moments sum;
  for (const Multipole& child : children) {
    sum.add(static_cast<double>(child.mass), child.centre_of_mass - origin);
    sum.add_spread(child);
  }
  return about_centre_of_mass(sum, origin);
}

void compute_moments(Octree& tree) {
  tree.multipole_.resize(tree.node_.size());
  const TreeView view = tree.view();
  const std::span<Multipole> multipole = tree.multipole_;
  for (std::size_t level = tree.level_offset_.size() - 1; level-- > 0;) {
#pragma omp parallel for schedule(dynamic, 256)
    for (std::uint32_t n = tree.level_offset_[level]; n < tree.level_offset_[level + 1]; ++n) {
      const Node& node = view.node[n];
      multipole[n] = node.leaf() ? leaf_moments(view, node)
                                 : merge_multipoles(multipole.subspan(node.first_child, node.child_count));
    }
  }
}

}  // namespace multiwalk
