// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>
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

/// Tracks that miss outputs, end in others (which may end or be missing, too) or nowhere, and share groups.
std::vector<TreeOutput> random_history(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(engine() % n); };
  constexpr std::int64_t tracks = 12;
  std::vector<TreeOutput> outputs(6);
  std::vector<bool> ended(tracks, false);
  for (TreeOutput& output : outputs) {
    for (std::int64_t t = 0; t < tracks; ++t) {
      if (ended[static_cast<std::size_t>(t)] || below(8) > 0) continue;
      ended[static_cast<std::size_t>(t)] = true;
      output.ends.push_back({t, below(4) == 0 ? none : below(tracks), 0});
      if (output.ends.back().descendant == t) output.ends.back().descendant = none;
    }
    for (std::int64_t t = 0; t < tracks; ++t)
      if (!ended[static_cast<std::size_t>(t)] && below(4) > 0)
        output.halos.push_back({t, 10.0 * static_cast<double>(1 + below(3)), below(3) == 0 ? none : below(5)});
    std::ranges::shuffle(output.halos, engine);
    std::ranges::stable_sort(output.halos, {}, &TreeOutput::Halo::group);
  }
  return outputs;
}

/// The same links, looked for again and again.
class SlowLinks {
 public:
  using Key = std::pair<std::size_t, std::size_t>;  ///< output, row
  static constexpr Key nobody{SIZE_MAX, SIZE_MAX};

  explicit SlowLinks(const std::vector<TreeOutput>& outputs) : outputs_(outputs) {
    for (const Key& key : all()) descendant_[key] = search_descendant(key);
  }

  [[nodiscard]] std::vector<Key> all() const {
    std::vector<Key> keys;
    for (std::size_t o = 0; o < outputs_.size(); ++o)
      for (std::size_t r = 0; r < outputs_[o].halos.size(); ++r) keys.emplace_back(o, r);
    return keys;
  }
  [[nodiscard]] const TreeOutput::Halo& halo(Key key) const { return outputs_[key.first].halos[key.second]; }

  [[nodiscard]] Key descendant(Key key) const { return descendant_.at(key); }
  [[nodiscard]] std::vector<Key> progenitors(Key of) const {
    std::vector<Key> found;
    for (const Key& key : all())
      if (descendant(key) == of) found.push_back(key);
    std::ranges::sort(found, [&](Key a, Key b) {
      const auto rank = [&](Key k) {
        return std::tuple(halo(k).track != halo(of).track, -halo(k).mass, halo(k).track);
      };
      return rank(a) < rank(b);
    });
    return found;
  }
  [[nodiscard]] std::vector<Key> group(Key of) const {
    std::vector<Key> found;
    for (const Key& key : all())
      if (key == of || (halo(of).group != none && key.first == of.first && halo(key).group == halo(of).group))
        found.push_back(key);
    return found;
  }
  /// The lowest halo that can be reached.
  [[nodiscard]] Key tree(Key key) const {
    std::set<Key> seen{key};
    for (std::size_t before = 0; before != seen.size();) {
      before = seen.size();
      for (const Key& k : std::set<Key>(seen)) {
        if (descendant(k) != nobody) seen.insert(descendant(k));
        for (const auto& more : {progenitors(k), group(k)}) seen.insert(more.begin(), more.end());
      }
    }
    return *seen.begin();
  }

 private:
  [[nodiscard]] Key search_descendant(Key key) const {
    std::int64_t track = halo(key).track;
    for (std::size_t o = key.first + 1, hops = 0; hops < 100; ++hops) {
      for (const Key& later : all())
        if (later.first >= o && halo(later).track == track) return later;
      std::int64_t next = none;
      for (std::size_t e = 0; e < outputs_.size(); ++e)
        for (const TrackEnd& end : outputs_[e].ends)
          if (end.track == track) {
            next = end.descendant;
            o = std::max(o, e);
          }
      if (next == none) return nobody;
      track = next;
    }
    return nobody;
  }

  const std::vector<TreeOutput>& outputs_;
  std::map<Key, Key> descendant_;
};

TEST(MergerTrees, LinksAreThoseOfASlowSearch) {
  using Key = SlowLinks::Key;
  std::size_t joined = 0, skipped = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const std::vector<TreeOutput> outputs = random_history(seed);
    const SlowLinks slow(outputs);
    const MergerTrees trees = link_trees(outputs);
    EXPECT_EQ(trees.node.size(), slow.all().size());
    std::set<Key> names;
    std::vector<Key> roots;
    for (std::size_t t = 0; t < trees.size(); ++t) {
      const auto node = [&](std::int64_t n) { return trees.node.at(trees.first[t] + static_cast<std::size_t>(n)); };
      const auto key = [&](std::int64_t n) { return n == none ? SlowLinks::nobody : Key{node(n).output, node(n).row}; };
      const Key name = slow.tree(key(0));
      EXPECT_TRUE(names.insert(name).second) << "one tree for all that are connected";
      std::size_t own_roots = 0;
      for (std::int64_t n = 0; n < static_cast<std::int64_t>(trees.first[t + 1] - trees.first[t]); ++n) {
        EXPECT_EQ(slow.tree(key(n)), name);
        EXPECT_EQ(key(node(n).descendant), slow.descendant(key(n)));
        std::vector<Key> progenitors, group;
        for (std::int64_t p = node(n).first_progenitor; p != none; p = node(p).next_progenitor)
          progenitors.push_back(key(p));
        for (std::int64_t g = node(n).first_in_group; g != none; g = node(g).next_in_group) group.push_back(key(g));
        EXPECT_EQ(progenitors, slow.progenitors(key(n)));
        EXPECT_EQ(group, slow.group(key(n)));
        EXPECT_EQ(node(n).first_progenitor, progenitors.empty() ? none : n + 1);
        own_roots += node(n).descendant == none;
        skipped += node(n).descendant != none && node(node(n).descendant).output > node(n).output + 1;
      }
      roots.push_back(key(0));
      joined += own_roots > 1;
    }
    const auto before = [&](Key a, Key b) {
      const auto rank = [&](Key k) {
        return std::tuple(-static_cast<int>(k.first), -slow.halo(k).mass, slow.halo(k).track);
      };
      return rank(a) < rank(b);
    };
    EXPECT_TRUE(std::ranges::is_sorted(roots, before));
  }
  EXPECT_GT(joined, 10U);
  EXPECT_GT(skipped, 10U);
}

}  // namespace
}  // namespace multiwalk
