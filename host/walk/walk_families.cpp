#include "host/walk/walk_families.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "host/tree/acceptance.hpp"

namespace multiwalk {

namespace {

std::int32_t walk_coordinate(double x, double corner, double units_per_length) {
  return static_cast<std::int32_t>(std::clamp((x - corner) * units_per_length, 0.0, walk_units_per_side - 1));
}

/// Writes the number of each inner node's family, counted from 1 in the nodes' order; returns how many there are.
std::uint32_t number_families(std::span<const Node> node, std::uint32_t* family) {
  std::vector<std::uint32_t> begin(static_cast<std::size_t>(omp_get_max_threads()) + 1, 0);
#pragma omp parallel
  {
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    const auto t = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t first = node.size() * t / threads, end = node.size() * (t + 1) / threads;
    std::uint32_t inner = 0;
    for (std::size_t n = first; n < end; ++n) inner += node[n].leaf() ? 0 : 1;
    begin[t + 1] = inner;
#pragma omp barrier
#pragma omp single
    for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
    inner = begin[t];
    for (std::size_t n = first; n < end; ++n) family[n] = node[n].leaf() ? 0 : ++inner;
  }
  return begin.back();
}

/// Makes single records of one tree.
struct FamilyMaker {
  const TreeView& tree;
  std::span<const float> radius;
  const std::uint32_t* below;
  WalkTree units;
  bool relative;
  double gravitational_constant;

  WalkFamily operator()(std::uint32_t first, std::uint32_t count) const {
    WalkFamily family{};
    family.first = first;
    family.present = static_cast<std::uint8_t>((1U << count) - 1);
    for (std::uint32_t c = 0; c < count; ++c) write(family, c);
    return family;
  }

  void write(WalkFamily& family, std::uint32_t c) const {
    const std::uint32_t n = family.first + c;
    const auto bit = static_cast<std::uint8_t>(1U << c);
    const Multipole& m = tree.multipole[n];
    family.x[c] = walk_coordinate(m.centre_of_mass.x, units.corner.x, units.units_per_length);
    family.y[c] = walk_coordinate(m.centre_of_mass.y, units.corner.y, units.units_per_length);
    family.z[c] = walk_coordinate(m.centre_of_mass.z, units.corner.z, units.units_per_length);
    family.below[c] = below[n];
    if (tree.node[n].leaf()) family.leaves |= bit;
    if (std::signbit(radius[n])) family.unlisted |= bit;
    if (radius[n] == 0) family.everywhere |= bit;
    const double r = std::fabs(static_cast<double>(radius[n])) * units.units_per_length;
    family.far2[c] = static_cast<float>(r * r);
    if (!relative || std::isinf(r)) return;
    family.floor2 = std::max(family.floor2, family.far2[c]);
    family.far2[c] = static_cast<float>(relative_strength(gravitational_constant, static_cast<double>(m.mass), r));
  }
};

}  // namespace

void WalkFamilies::make(const TreeView& tree, std::span<const float> radius, Mac mac, double gravitational_constant) {
  std::uint32_t* below = below_.reserve(tree.node.size());
  const std::uint32_t inner = number_families(tree.node, below);
  WalkFamily* family = family_.reserve(std::size_t{inner} + 1);
  view_ = {tree.node.data(), family, tree.cube.corner, walk_units_per_side / tree.cube.side};
  const FamilyMaker maker{tree, radius, below, view_, mac == Mac::relative, gravitational_constant};
  family[0] = maker(0, tree.node.empty() ? 0 : 1);
#pragma omp parallel for schedule(static)
  for (std::size_t n = 0; n < tree.node.size(); ++n) {
    const Node& node = tree.node[n];
    if (!node.leaf()) family[below[n]] = maker(node.first_child, node.child_count);
  }
}

}  // namespace multiwalk
