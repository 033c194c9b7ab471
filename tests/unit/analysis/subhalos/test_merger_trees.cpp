// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <vector>

#include "analysis/subhalos/merger_trees.hpp"

namespace multiwalk {
namespace {

/// Track 1 lives; 2 merges into 1 between outputs 1 and 2; 3 misses output 1; 4 is lost; 5 merges into 2 as that ends.
std::vector<TreeOutput> history() {
  return {{{{1, 100}, {2, 50}, {3, 20}, {5, 10}}, {}},
          {{{1, 110}, {2, 60}, {4, 30}, {5, 9}}, {}},
          {{{1, 170}, {3, 25}}, {{2, 1, 77}, {5, 2, 78}, {4, none, 79}}}};
}

struct Names {
  const std::vector<TreeOutput> outputs = history();
  const MergerTrees trees = link_trees(outputs);

  [[nodiscard]] std::int64_t track(std::size_t tree, std::int64_t place) const {
    if (place == none) return none;
    const TreeNode& node = at(tree, place);
    return outputs[node.output].halos[node.row].track;
  }
  [[nodiscard]] const TreeNode& at(std::size_t tree, std::int64_t place) const {
    return trees.node[trees.first[tree] + static_cast<std::size_t>(place)];
  }
};

TEST(MergerTrees, RootsAreTheHalosWithoutDescendants) {
  const Names names;
  ASSERT_EQ(names.trees.size(), 3U);
  EXPECT_EQ(names.track(0, 0), 1);  // of the last output, the most massive first
  EXPECT_EQ(names.track(1, 0), 3);
  EXPECT_EQ(names.track(2, 0), 4);  // lost earlier
  EXPECT_EQ(names.trees.node.size(), 10U) << "every halo is in one tree";
}

TEST(MergerTrees, MainBranchesFollowTheirTracks) {
  const Names names;
  std::vector<std::size_t> outputs;
  for (std::int64_t n = 0; n != none; n = names.at(0, n).first_progenitor) {
    EXPECT_EQ(names.track(0, n), 1);
    outputs.push_back(names.at(0, n).output);
  }
  EXPECT_EQ(outputs, (std::vector<std::size_t>{2, 1, 0}));
  const std::int64_t before = names.at(1, 0).first_progenitor;
  EXPECT_EQ(names.at(1, before).output, 0U) << "an output that a track misses leaves a gap";
}

TEST(MergerTrees, WhatMergedIsAmongTheProgenitors) {
  const Names names;
  const std::int64_t main = names.at(0, 0).first_progenitor;
  const std::int64_t second = names.at(0, main).next_progenitor;
  ASSERT_NE(second, none);
  EXPECT_EQ(names.track(0, second), 2);
  EXPECT_EQ(names.at(0, second).descendant, 0);
  const std::int64_t third = names.at(0, second).next_progenitor;
  ASSERT_NE(third, none);
  EXPECT_EQ(names.track(0, third), 5) << "its descendant ended too, so that one's is its own";
  EXPECT_EQ(names.at(0, third).next_progenitor, none);
}

TEST(MergerTrees, NothingMakesNoTrees) {
  EXPECT_EQ(link_trees({}).size(), 0U);
}

}  // namespace
}  // namespace multiwalk
