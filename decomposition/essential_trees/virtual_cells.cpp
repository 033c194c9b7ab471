// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/essential_trees/virtual_cells.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "host/tree/sfc_key.hpp"

namespace multiwalk {

namespace {

/// The keys of the cell of `level` that holds `key`: [first, last].
std::pair<std::uint64_t, std::uint64_t> keys_of_cell(std::uint64_t key, int level) {
  const std::uint64_t below = (std::uint64_t{1} << 3 * (key_levels - level)) - 1;
  return {key & ~below, key | below};
}

}  // namespace

VirtualCells::VirtualCells(const RankedParticles& ranked, std::span<const Vec3d> position, std::span<const float> mass,
                           const Cube& cube, std::uint32_t leaf_size, int first_level)
    : ranked_(ranked),
      cube_(cube),
      leaf_size_(leaf_size),
      first_level_(first_level),
      before_(position.size() + 1),
      met_(std::size_t{1} << 3 * first_level) {
  for (std::size_t k = 0; k < position.size(); ++k) {
    const auto m = static_cast<double>(mass[ranked.index[k]]);
    before_[k + 1] = {before_[k].mass + m, before_[k].moment + m * (position[ranked.index[k]] - cube.corner)};
  }
  const double cells_per_length = key_cells_per_length(cube);
  const int shift = key_levels - first_level;
  for (std::size_t r = 0; r < ranked.box.size(); ++r) {
    const Box& box = ranked.box[r];
    if (box.empty()) continue;
    std::array<std::uint64_t, 3> lo{}, hi{};
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      lo[a] = cell_number(box.lo[axis], cube.corner[axis], cells_per_length) >> shift;
      hi[a] = cell_number(box.hi[axis], cube.corner[axis], cells_per_length) >> shift;
    }
    for (std::uint64_t x = lo[0]; x <= hi[0]; ++x) {
      for (std::uint64_t y = lo[1]; y <= hi[1]; ++y) {
        for (std::uint64_t z = lo[2]; z <= hi[2]; ++z) {
          met_[spread_bits(x) << 2 | spread_bits(y) << 1 | spread_bits(z)].push_back(static_cast<int>(r));
        }
      }
    }
  }
}

Multipole VirtualCells::moments(std::size_t first, std::size_t end) const {
  const double mass = before_[end].mass - before_[first].mass;
  const Vec3d moment = before_[end].moment - before_[first].moment;
  Multipole piece;
  piece.mass = static_cast<float>(mass);
  if (mass > 0) piece.centre_of_mass = cube_.corner + (1 / mass) * moment;
  return piece;
}

std::vector<VirtualCells::Other> VirtualCells::others_in(int rank, const TreeView& tree, std::uint32_t n) const {
  const int level = tree.node[n].level;
  const std::uint64_t key = tree.key[tree.node[n].first];
  const auto [first_key, last_key] = keys_of_cell(key, level);
  const auto [first_of_parent, last_of_parent] = keys_of_cell(key, std::max(level - 1, 0));
  std::vector<Other> others;
  for (const int r : met_[key >> 3 * (key_levels - level)]) {
    if (r == rank) continue;
    const auto begin = ranked_.key.begin();
    const auto from = begin + static_cast<std::ptrdiff_t>(ranked_.first[static_cast<std::size_t>(r)]);
    const auto to = begin + static_cast<std::ptrdiff_t>(ranked_.first[static_cast<std::size_t>(r) + 1]);
    const auto lo = std::lower_bound(from, to, first_key), hi = std::upper_bound(lo, to, last_key);
    const auto in_parent = std::upper_bound(hi, to, last_of_parent) - std::lower_bound(from, lo, first_of_parent);
    const bool has_node = hi > lo && (level == 0 || in_parent > static_cast<std::ptrdiff_t>(leaf_size_));
    others.push_back({r, static_cast<std::size_t>(lo - begin), static_cast<std::size_t>(hi - begin), has_node});
  }
  return others;
}

void VirtualCells::descend(const TreeView& tree, std::uint32_t n, const std::vector<Other>& others,
                           VirtualShare& share) const {
  if (others.empty()) return;
  share.pieces_sent += others.size();
  for (const Other& other : others) {
    if (!other.has_node) continue;
    share.matches.push_back({n, other.rank, moments(other.first, other.end), other.end - other.first});
  }
  const Node& node = tree.node[n];
  std::vector<Other> inside;
  for (std::uint32_t child = node.first_child; child < node.first_child + node.child_count; ++child) {
    const std::uint64_t key = tree.key[tree.node[child].first];
    const int level = tree.node[child].level;
    const Box cell = cell_box(tree.cube, key, level);
    const auto [first_key, last_key] = keys_of_cell(key, level);
    inside.clear();
    for (const Other& other : others) {
      if (!cell.meets(ranked_.box[static_cast<std::size_t>(other.rank)])) continue;
      const auto begin = ranked_.key.begin();
      const auto from = begin + static_cast<std::ptrdiff_t>(other.first);
      const auto to = begin + static_cast<std::ptrdiff_t>(other.end);
      const auto lo = std::lower_bound(from, to, first_key), hi = std::upper_bound(lo, to, last_key);
      const bool has_node = other.has_node && other.end - other.first > leaf_size_ && hi > lo;
      inside.push_back(
          {other.rank, static_cast<std::size_t>(lo - begin), static_cast<std::size_t>(hi - begin), has_node});
    }
    descend(tree, child, inside, share);
  }
}

VirtualShare VirtualCells::of(int rank, const TreeView& tree) const {
  VirtualShare share;
  std::vector<int> told;
  for (std::uint32_t n = 0; n < tree.node.size() && tree.node[n].level <= first_level_; ++n) {
    if (tree.node[n].level < first_level_) continue;
    const std::vector<Other> others = others_in(rank, tree, n);
    for (const Other& other : others) told.push_back(other.rank);
    descend(tree, n, others, share);
  }
  std::sort(told.begin(), told.end());
  share.messages = static_cast<std::uint64_t>(std::unique(told.begin(), told.end()) - told.begin());
  std::sort(share.matches.begin(), share.matches.end(),
            [](const CellMatch& a, const CellMatch& b) { return std::tie(a.node, a.rank) < std::tie(b.node, b.rank); });
  return share;
}

}  // namespace multiwalk
