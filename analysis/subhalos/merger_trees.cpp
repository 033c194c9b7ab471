// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/subhalos/merger_trees.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace multiwalk {

namespace {

/// Disjoint sets of 0, 1, ...
class JoinedSets {
 public:
  explicit JoinedSets(std::size_t size) : above_(size) { std::iota(above_.begin(), above_.end(), std::size_t{0}); }

  void join(std::size_t a, std::size_t b) { above_[name(b)] = name(a); }
  /// A member of the set, the same for all of them.
  [[nodiscard]] std::size_t name(std::size_t member) {
    while (above_[member] != member) member = above_[member] = above_[above_[member]];
    return member;
  }

 private:
  std::vector<std::size_t> above_;
};

/// All halos, numbered output by output.
class Links {
 public:
  explicit Links(std::span<const TreeOutput> outputs) : outputs_(outputs) {
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      for (std::size_t row = 0; row < outputs[o].halos.size(); ++row) {
        life_[outputs[o].halos[row].track].push_back(place_.size());
        place_.emplace_back(o, row);
      }
      for (const TrackEnd& end : outputs[o].ends) end_[end.track] = {o, end.descendant};
    }
    progenitors_.resize(place_.size());
    index_.resize(place_.size());
    for (std::size_t h = 0; h < place_.size(); ++h) head_.push_back(h > 0 && next_in_group(h - 1) ? head_.back() : h);
    for (const auto& [track, halos] : life_) join(track, halos);
    for (std::vector<std::size_t>& of : progenitors_)
      std::ranges::sort(of, [this](std::size_t a, std::size_t b) { return heavier(a, b); });
  }

  MergerTrees trees() {
    std::ranges::sort(roots_, [&](std::size_t a, std::size_t b) {
      return place_[a].first != place_[b].first ? place_[a].first > place_[b].first : heavier(a, b);
    });
    MergerTrees trees;
    std::vector<std::size_t> halos;  // of the nodes
    for (const std::vector<std::size_t>& roots : roots_of_trees()) {
      for (const std::size_t root : roots) add_branches(root, trees, halos);
      link_groups(trees, std::span(halos).subspan(trees.first.back()));
      trees.first.push_back(trees.node.size());
    }
    return trees;
  }

 private:
  [[nodiscard]] const TreeOutput::Halo& halo(std::size_t h) const {
    return outputs_[place_[h].first].halos[place_[h].second];
  }
  [[nodiscard]] bool heavier(std::size_t a, std::size_t b) const {
    return halo(a).mass != halo(b).mass ? halo(a).mass > halo(b).mass : halo(a).track < halo(b).track;
  }
  /// The first halo from `output` on of the track or of those that have its particles after its end.
  [[nodiscard]] std::size_t heir(std::int64_t track, std::size_t output) const {
    for (std::size_t hops = 0; hops <= end_.size() && track != none; ++hops) {
      if (const auto life = life_.find(track); life != life_.end()) {
        const auto next = std::ranges::find_if(life->second, [&](std::size_t h) { return place_[h].first >= output; });
        if (next != life->second.end()) return *next;
      }
      const auto end = end_.find(track);
      if (end == end_.end()) break;
      output = std::max(output, end->second.first);
      track = end->second.second;
    }
    return place_.size();
  }

  void join(std::int64_t track, std::span<const std::size_t> halos) {
    for (std::size_t k = 0; k + 1 < halos.size(); ++k) progenitors_[halos[k + 1]].push_back(halos[k]);
    const std::size_t last = halos.back(), next = heir(track, place_[last].first + 1);
    if (next < place_.size()) {
      progenitors_[next].push_back(last);
    } else {
      roots_.push_back(last);
    }
  }

  /// Progenitors in the order of the tree: that of the same track first.
  [[nodiscard]] std::vector<std::size_t> ordered_progenitors(std::size_t h) const {
    std::vector<std::size_t> ordered = progenitors_[h];
    std::ranges::stable_partition(ordered, [&](std::size_t p) { return halo(p).track == halo(h).track; });
    return ordered;
  }

  [[nodiscard]] bool next_in_group(std::size_t h) const {
    return h + 1 < place_.size() && place_[h].first == place_[h + 1].first && halo(h).group != none &&
           halo(h).group == halo(h + 1).group;
  }

  /// The roots of each tree, in the order of the roots.
  [[nodiscard]] std::vector<std::vector<std::size_t>> roots_of_trees() const {
    JoinedSets sets(place_.size());
    for (std::size_t h = 0; h < place_.size(); ++h) {
      for (const std::size_t progenitor : progenitors_[h]) sets.join(h, progenitor);
      if (next_in_group(h)) sets.join(h, h + 1);
    }
    std::unordered_map<std::size_t, std::size_t> tree;
    std::vector<std::vector<std::size_t>> roots;
    for (const std::size_t root : roots_) {
      const std::size_t own = tree.try_emplace(sets.name(root), roots.size()).first->second;
      if (own == roots.size()) roots.emplace_back();
      roots[own].push_back(root);
    }
    return roots;
  }

  /// Adds a root and everything that descends to it.
  void add_branches(std::size_t root, MergerTrees& trees, std::vector<std::size_t>& halos) {
    std::vector<std::pair<std::size_t, std::size_t>> siblings;  // (halo, the next)
    std::vector<std::pair<std::size_t, std::int64_t>> stack{{root, none}};
    const std::size_t first = trees.first.back();
    while (!stack.empty()) {
      const auto [h, descendant] = stack.back();
      stack.pop_back();
      const auto own = static_cast<std::int64_t>(trees.node.size() - first);
      index_[h] = own;
      halos.push_back(h);
      trees.node.push_back({place_[h].first, place_[h].second, descendant});
      const std::vector<std::size_t> of = ordered_progenitors(h);
      if (!of.empty()) trees.node.back().first_progenitor = own + 1;
      for (std::size_t k = of.size(); k-- > 0;) {
        stack.emplace_back(of[k], own);
        if (k + 1 < of.size()) siblings.emplace_back(of[k], of[k + 1]);
      }
    }
    for (const auto& [h, next] : siblings)
      trees.node[first + static_cast<std::size_t>(index_[h])].next_progenitor = index_[next];
  }

  /// `halos`: of the last tree, in its order.
  void link_groups(MergerTrees& trees, std::span<const std::size_t> halos) const {
    for (std::size_t n = 0; n < halos.size(); ++n) {
      TreeNode& node = trees.node[trees.first.back() + n];
      node.first_in_group = index_[head_[halos[n]]];
      if (next_in_group(halos[n])) node.next_in_group = index_[halos[n] + 1];
    }
  }

  std::span<const TreeOutput> outputs_;
  std::vector<std::pair<std::size_t, std::size_t>> place_;                      ///< (halos) output and row
  std::unordered_map<std::int64_t, std::vector<std::size_t>> life_;             ///< halos of a track, rising
  std::unordered_map<std::int64_t, std::pair<std::size_t, std::int64_t>> end_;  ///< output and descendant of a track
  std::vector<std::vector<std::size_t>> progenitors_;                           ///< (halos)
  std::vector<std::size_t> roots_;
  std::vector<std::size_t> head_;    ///< (halos) the first of its group
  std::vector<std::int64_t> index_;  ///< (halos) in its tree
};

}  // namespace

MergerTrees link_trees(std::span<const TreeOutput> outputs) {
  return Links(outputs).trees();
}

}  // namespace multiwalk
