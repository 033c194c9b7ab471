// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/subhalos/potential.hpp"

#include <algorithm>
#include <cmath>

#include "host/particles/particle_store.hpp"
#include "host/threads/tasks.hpp"
#include "host/tree/octree.hpp"
#include "host/tree/sfc_key.hpp"
#include "host/tree/traverse.hpp"

namespace multiwalk {

namespace {

constexpr std::uint32_t leaf_size = 32;
constexpr double opening = 0.5;
constexpr double least_softening = 1e-5;  ///< Mpc/h

float square_of(double softening) {
  const double used = std::max(softening, least_softening);
  return static_cast<float>(used * used);
}

/// Sources side by side, for vector units.
struct Sources {
  std::vector<float> x, y, z, mass;

  void clear() {
    for (std::vector<float>* column : {&x, &y, &z, &mass}) column->clear();
  }
  void add(Vec3f place, float m) {
    x.push_back(place.x);
    y.push_back(place.y);
    z.push_back(place.z);
    mass.push_back(m);
  }
  /// Includes a source at the target itself.
  [[nodiscard]] float sum_at(Vec3f target, float softening2) const {
    const float *px = x.data(), *py = y.data(), *pz = z.data(), *pm = mass.data();
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t j = 0; j < mass.size(); ++j) {
      const float dx = px[j] - target.x, dy = py[j] - target.y, dz = pz[j] - target.z;
      sum += pm[j] / std::sqrt(dx * dx + dy * dy + dz * dz + softening2);
    }
    return sum;
  }
};

Sources sources_of(std::span<const Member> members, std::span<const std::uint32_t> chosen) {
  Sources sources;
  for (const std::uint32_t i : chosen) sources.add(members[i].place, members[i].mass);
  return sources;
}

/// An octree over copies of the chosen members. They lie in plain arrays, because a ParticleStore of this size may use
/// page-locked memory, which takes long to allocate.
struct MemberTree {
  std::vector<std::uint32_t> order;  ///< index in `chosen` for each place in the tree
  std::vector<Vec3d> position;
  std::vector<float> mass;
  std::vector<std::uint64_t> key;
  Octree octree;
  std::vector<std::uint32_t> leaf;  ///< nodes

  MemberTree(std::span<const Member> members, std::span<const std::uint32_t> chosen) {
    const std::size_t n = chosen.size();
    order.resize(n);
    position.resize(n);
    mass.resize(n);
    key.resize(n);
    for (std::size_t k = 0; k < n; ++k) position[k] = static_cast<Vec3d>(members[chosen[k]].place);
    const Cube cube = enclosing_cube(bounding_box(position));
    SortScratch sort;
    sort.entries.resize(n);
    const double cells_per_length = key_cells_per_length(cube);
    for (std::size_t k = 0; k < n; ++k)
      sort.entries[k] = {morton_key(position[k], cube.corner, cells_per_length), static_cast<std::uint32_t>(k)};
    sort_entries(sort);
    for (std::size_t k = 0; k < n; ++k) {
      key[k] = sort.entries[k].key;
      order[k] = sort.entries[k].index;
      const Member& member = members[chosen[order[k]]];
      position[k] = static_cast<Vec3d>(member.place);
      mass[k] = member.mass;
    }
    build_octree(SortedParticles{position, mass, key}, cube, {.leaf_size = leaf_size}, octree);
    const TreeView tree = octree.view();
    for (std::uint32_t node = 0; node < tree.node.size(); ++node)
      if (tree.node[node].leaf()) leaf.push_back(node);
  }

  /// Everything that acts on the particles of a leaf.
  void list_sources(const Node& target, Sources& sources) const {
    const TreeView tree = octree.view();
    const Box box = bounding_box(tree.position.subspan(target.first, target.count));
    const Vec3d centre = 0.5 * (box.lo + box.hi);
    const double radius = 0.5 * norm(box.hi - box.lo);
    const auto open = [&](std::uint32_t n) {
      const double far = norm(tree.multipole[n].centre_of_mass - centre) - radius;
      return tree.node[n].count <= 2 || tree.side(n) > opening * far;
    };
    sources.clear();
    traverse(
        tree.node, open,
        [&](std::uint32_t n) {
          sources.add(static_cast<Vec3f>(tree.multipole[n].centre_of_mass), tree.multipole[n].mass);
        },
        [&](std::uint32_t n) {
          const Node& leaf_node = tree.node[n];
          for (std::uint32_t i = leaf_node.first; i < leaf_node.first + leaf_node.count; ++i)
            sources.add(static_cast<Vec3f>(tree.position[i]), tree.mass[i]);
        });
  }
};

std::vector<float> sums_over_tree(std::span<const Member> members, std::span<const std::uint32_t> chosen,
                                  float softening2) {
  const MemberTree tree(members, chosen);
  std::vector<float> sums(chosen.size());
  constexpr std::size_t leaves = 8;
  in_tasks(tree.leaf.size(), leaves, [&](std::size_t begin, std::size_t end) {
    Sources sources;
    for (std::size_t l = begin; l < end; ++l) {
      const Node node = tree.octree.view().node[tree.leaf[l]];
      tree.list_sources(node, sources);
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i)
        sums[tree.order[i]] = sources.sum_at(static_cast<Vec3f>(tree.position[i]), softening2);
    }
  });
  return sums;
}

}  // namespace

std::vector<float> inverse_distance_sums(std::span<const Member> members, std::span<const std::uint32_t> chosen,
                                         double softening) {
  const float softening2 = square_of(softening);
  std::vector<float> sums;
  if (chosen.size() > most_summed_directly) {
    sums = sums_over_tree(members, chosen, softening2);
  } else {
    const Sources sources = sources_of(members, chosen);
    for (const std::uint32_t i : chosen) sums.push_back(sources.sum_at(members[i].place, softening2));
  }
  const float own = 1 / std::sqrt(softening2);
  for (std::size_t k = 0; k < chosen.size(); ++k) sums[k] -= own * members[chosen[k]].mass;
  return sums;
}

void subtract_members(std::span<const Member> members, std::span<const std::uint32_t> chosen,
                      std::span<const std::uint32_t> removed, double softening, std::span<float> sums) {
  const Sources sources = sources_of(members, removed);
  const float softening2 = square_of(softening);
  constexpr std::size_t targets = 1024;
  in_tasks(chosen.size(), targets, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) sums[k] -= sources.sum_at(members[chosen[k]].place, softening2);
  });
}

}  // namespace multiwalk
