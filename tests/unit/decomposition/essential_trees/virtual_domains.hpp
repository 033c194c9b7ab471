// SPDX-License-Identifier: GPL-3.0-or-later
// Domains of one particle set in one process: every domain has its tree, and the cuts that others need of it.
#pragma once

#include <memory>
#include <vector>

#include "decomposition/essential_trees/essential_cut.hpp"
#include "decomposition/essential_trees/essential_forest.hpp"
#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "host/walk/opening_radii.hpp"

namespace multiwalk::test {

/// Hands the solver of one virtual domain the forest of all the others.
class VirtualTrees final : public SourceTrees {
 public:
  std::vector<EssentialForest::Tree> trees;

  Cube cube(const Box& mine, double /*box_size*/) override {
    Box all = mine;
    for (const EssentialForest::Tree& tree : trees) {
      for (const EssentialNode& node : tree.node) all.include(node.centre_of_mass);
    }
    return enclosing_cube(all);
  }
  std::span<const std::uint32_t> begin(const LocalTree& local) override {
    forest_.assemble(trees, local.tree.cube, local.walks.options, local.walks.gravitational_constant);
    given_ = trees.empty();
    return {};
  }
  void progress() override {}
  const SourceTree* next() override {
    if (given_) return nullptr;
    given_ = true;
    return &forest_.source();
  }
  bool all(bool mine) override { return mine; }

 private:
  EssentialForest forest_;
  bool given_ = false;
};

struct VirtualDomain {
  ParticleStore store;
  Octree tree;
  std::vector<float> radius;
  std::vector<Group> groups;
  std::vector<double> smallest;
  WalkSettings walks;

  void build(const GravityOptions& chosen, std::uint32_t group_size, double background = 0) {
    build(chosen, group_size, background, enclosing_cube(bounding_box(store.position)));
  }
  void build(const GravityOptions& chosen, std::uint32_t group_size, double background, const Cube& cube) {
    walks.options = chosen;
    sort_by_key(store, cube);
    tree = build_octree(store, cube, {chosen.leaf_size});
    groups = make_groups(tree.view(), group_size);
    if (chosen.relative()) {
      smallest = smallest_accelerations(tree.view(), groups, store.acceleration, background);
    }
    make_opening_radii(tree.view(), chosen, radius);
  }
  [[nodiscard]] LocalTree local() { return {walks, tree.view(), tree.multipole(), radius, groups, smallest}; }
};

}  // namespace multiwalk::test
