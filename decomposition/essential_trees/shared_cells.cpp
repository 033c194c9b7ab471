// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/essential_trees/shared_cells.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "host/tree/sfc_key.hpp"
#include "host/walk/opening_radii.hpp"

namespace multiwalk {

namespace {

/// A rank's piece of a cell as it is sent; ordered by level and key.
struct Piece {
  Vec3d centre_of_mass;
  std::uint64_t key = 0;  ///< the part of its particles' keys that the cell determines
  float mass = 0;
  float xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  std::uint32_t count = 0;
  std::uint32_t level = 0;
  std::uint32_t node = 0;  ///< in the sender's tree

  [[nodiscard]] std::tuple<std::uint32_t, std::uint64_t> place() const { return {level, key}; }
  [[nodiscard]] Multipole moments() const { return {centre_of_mass, mass, xx, xy, xz, yy, yz, zz}; }
};
static_assert(sizeof(Piece) == 72);

Piece piece_of(const LocalTree& local, std::uint32_t n) {
  const Node& node = local.tree.node[n];
  const Multipole& m = local.tree.multipole[n];
  return {m.centre_of_mass,
          local.key(n) >> 3 * (key_levels - node.level),
          m.mass,
          m.xx,
          m.xy,
          m.xz,
          m.yy,
          m.yz,
          m.zz,
          node.count,
          node.level,
          n};
}

Box box_of_cell(const LocalTree& local, std::uint32_t n) {
  return cell_box(local.tree.cube, local.key(n), local.tree.node[n].level);
}

/// The nodes of one subtree in one box, level by level.
struct Subtree {
  std::uint32_t root = 0;
  std::size_t rank = 0;
  std::vector<std::uint32_t> node;
  std::vector<std::size_t> level_end;
};

/// The nodes from `root` down whose cells overlap the box; that of the root does.
void descend(const LocalTree& local, const Box& box, Subtree& subtree) {
  subtree.node.assign(1, subtree.root);
  for (std::size_t first = 0; first < subtree.node.size();) {
    const std::size_t end = subtree.node.size();
    subtree.level_end.push_back(end);
    for (; first < end; ++first) {
      const Node& node = local.tree.node[subtree.node[first]];
      for (std::uint32_t child = node.first_child; child < node.first_child + node.child_count; ++child) {
        if (box_of_cell(local, child).meets(box)) subtree.node.push_back(child);
      }
    }
  }
}

/// The nodes from the root down whose cells overlap the box, level by level, appended to `top` until a level has enough
/// of them for all threads; returns that level.
std::vector<std::uint32_t> descend_from_root(const LocalTree& local, const Box& box, std::vector<std::uint32_t>& top) {
  constexpr std::size_t subtrees_of_rank = 64;
  std::vector<std::uint32_t> level{0}, next;
  while (!level.empty() && level.size() < subtrees_of_rank) {
    next.clear();
    for (const std::uint32_t n : level) {
      const Node& node = local.tree.node[n];
      for (std::uint32_t child = node.first_child; child < node.first_child + node.child_count; ++child) {
        if (box_of_cell(local, child).meets(box)) next.push_back(child);
      }
    }
    top.insert(top.end(), level.begin(), level.end());
    level.swap(next);
  }
  return level;
}

/// Appends the nodes of the subtrees, level by level.
void append_levels(std::span<const Subtree> subtrees, std::vector<std::uint32_t>& node) {
  bool more = true;
  for (std::size_t level = 0; more; ++level) {
    more = false;
    for (const Subtree& subtree : subtrees) {
      if (level >= subtree.level_end.size()) continue;
      const std::size_t first = level > 0 ? subtree.level_end[level - 1] : 0;
      node.insert(node.end(), subtree.node.data() + first, subtree.node.data() + subtree.level_end[level]);
      more = true;
    }
  }
}

/// (ranks) the local nodes whose cells overlap the boxes of other ranks, by level and key: first the top of the tree,
/// level by level, then all threads share the subtrees.
std::vector<std::vector<Piece>> pieces_for(const LocalTree& local, int own, std::span<const Box> box, int first_level) {
  const std::span<const Node> tree = local.tree.node;
  std::vector<std::vector<std::uint32_t>> top(box.size());
  std::vector<Subtree> subtrees;
  std::vector<std::size_t> first_subtree;
  for (std::size_t r = 0; r < box.size(); ++r) {
    first_subtree.push_back(subtrees.size());
    const bool apart = static_cast<int>(r) == own || tree.empty() || box[r].empty();
    if (apart || !box_of_cell(local, 0).meets(box[r])) continue;
    for (const std::uint32_t n : descend_from_root(local, box[r], top[r])) subtrees.push_back({n, r, {}, {}});
  }
  first_subtree.push_back(subtrees.size());
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t s = 0; s < subtrees.size(); ++s) descend(local, box[subtrees[s].rank], subtrees[s]);
  std::vector<std::vector<Piece>> pieces(box.size());
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t r = 0; r < box.size(); ++r) {
    std::vector<std::uint32_t>& node = top[r];
    append_levels(std::span(subtrees).subspan(first_subtree[r], first_subtree[r + 1] - first_subtree[r]), node);
    // Nodes are numbered by level.
    node.erase(node.begin(), std::ranges::find_if(node, [&](auto n) { return tree[n].level >= first_level; }));
    pieces[r].resize(node.size());
  }
  for (std::size_t r = 0; r < box.size(); ++r) {
#pragma omp parallel for schedule(static) if (top[r].size() > 512)
    for (std::size_t k = 0; k < top[r].size(); ++k) pieces[r][k] = piece_of(local, top[r][k]);
  }
  return pieces;
}

/// The pieces that two ranks have in common, in order: pairs (mine, theirs).
template <class Act>
void for_each_match(std::span<const Piece> mine, std::span<const Piece> theirs, Act act) {
  std::size_t m = 0, t = 0;
  while (m < mine.size() && t < theirs.size()) {
    if (mine[m].place() < theirs[t].place()) {
      ++m;
    } else if (theirs[t].place() < mine[m].place()) {
      ++t;
    } else {
      act(mine[m++], theirs[t++]);
    }
  }
}

/// All matches by node and rank; those of each rank are already ordered by node. Threads share the nodes.
std::vector<CellMatch> merge_matches(std::span<const std::vector<CellMatch>> of_rank, std::size_t nodes) {
  constexpr std::size_t parts = 64;
  const auto first_of = [&](std::size_t rank, std::size_t part) {
    const std::size_t node = nodes * part / parts;
    const auto at = std::ranges::lower_bound(of_rank[rank], node, {}, [](const CellMatch& m) { return m.node; });
    return static_cast<std::size_t>(at - of_rank[rank].begin());
  };
  std::vector<std::size_t> first(parts + 1, 0);
  for (std::size_t part = 0; part <= parts; ++part) {
    for (std::size_t r = 0; r < of_rank.size(); ++r) first[part] += first_of(r, part);
  }
  std::vector<CellMatch> all(first[parts]);
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<std::pair<std::uint32_t, const CellMatch*>> order;
    for (std::size_t r = 0; r < of_rank.size(); ++r) {
      for (std::size_t m = first_of(r, part); m < first_of(r, part + 1); ++m) {
        order.emplace_back(of_rank[r][m].node, &of_rank[r][m]);
      }
    }
    std::ranges::stable_sort(order, {}, [](const auto& entry) { return entry.first; });
    for (std::size_t k = 0; k < order.size(); ++k) all[first[part] + k] = *order[k].second;
  }
  return all;
}

/// Opens the nodes of levels below `first_level` and returns their number.
std::uint32_t open_above(const LocalTree& local, int first_level) {
  std::uint32_t n = 0;
  for (; n < local.tree.node.size() && local.tree.node[n].level < first_level; ++n) {
    local.radius[n] = std::numeric_limits<float>::infinity();
  }
  return n;
}

}  // namespace

void SharedCells::find(const Communicator& comm, const LocalTree& local, std::span<const Box> box, int first_level) {
  const std::vector<std::vector<Piece>> for_rank = pieces_for(local, comm.rank(), box, first_level);
  std::vector<std::uint64_t> counts;
  for (const std::vector<Piece>& pieces : for_rank) counts.push_back(pieces.size());
  std::vector<Piece> sent;
  sent.reserve(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  for (const std::vector<Piece>& pieces : for_rank) sent.insert(sent.end(), pieces.begin(), pieces.end());
  const Received<Piece> received = comm.exchange(std::span<const Piece>(sent), std::span<const std::uint64_t>(counts));
  std::vector<std::size_t> first(box.size(), 0);
  std::exclusive_scan(received.count.begin(), received.count.end(), first.begin(), std::size_t{0});
  std::vector<std::vector<CellMatch>> matches(box.size());
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t r = 0; r < box.size(); ++r) {
    for_each_match(for_rank[r], std::span(received.data).subspan(first[r], received.count[r]),
                   [&](const Piece& mine, const Piece& theirs) {
                     matches[r].push_back({mine.node, static_cast<int>(r), theirs.moments(), theirs.count});
                   });
  }
  take(comm.rank(), local, merge_matches(matches, local.tree.node.size()), first_level);
}

void SharedCells::take(int rank, const LocalTree& local, std::span<const CellMatch> matches, int first_level) {
  rank_ = rank;
  std::vector<std::size_t> first;
  for (std::size_t m = 0; m < matches.size(); ++m) {
    if (m == 0 || matches[m].node != matches[m - 1].node) first.push_back(m);
  }
  const std::size_t cells = first.size();
  first.push_back(matches.size());
  cells_.resize(cells);
  sharer_.resize(matches.size() + cells);
#pragma omp parallel if (cells > 256)
  {
    std::vector<Multipole> pieces;
#pragma omp for schedule(static)
    for (std::size_t c = 0; c < cells; ++c) {
      const auto others = matches.subspan(first[c], first[c + 1] - first[c]);
      const std::uint32_t node = others[0].node;
      const auto own = static_cast<std::size_t>(
          std::ranges::lower_bound(others, rank, {}, [](const CellMatch& m) { return m.rank; }) - others.begin());
      Cell cell{node,
                local.tree.multipole[node],
                {},
                local.tree.node[node].count,
                static_cast<std::uint32_t>(first[c] + c),
                static_cast<std::uint32_t>(others.size() + 1)};
      pieces.clear();
      for (std::size_t s = 0; s < cell.sharers; ++s) {
        const bool mine = s == own;
        const CellMatch& other = others[mine ? 0 : s - (s > own ? 1 : 0)];
        pieces.push_back(mine ? cell.piece : other.piece);
        sharer_[cell.first_sharer + s] = mine ? rank : other.rank;
        if (!mine) cell.count += other.count;
      }
      cell.whole = merge_multipoles(pieces);
      cells_[c] = cell;
    }
  }
  shown_.assign(cells_.size(), Shown::piece);
  changed_.resize(open_above(local, first_level));
  std::iota(changed_.begin(), changed_.end(), 0U);
  for (const Cell& cell : cells_) changed_.push_back(cell.node);
}

/// True if one of its nodes made it wider.
bool SharedCells::widen(const LocalTree& local, std::span<const Box> box, std::uint64_t largest, Group& group) const {
  auto cell = std::lower_bound(cells_.begin(), cells_.end(), group.node,
                               [](const Cell& c, std::uint32_t node) { return c.node < node; });
  const double most = local.tree.cube.periodic ? largest_periodic_cell * local.tree.cube.side : INFINITY;
  Box wide = group.box;
  bool wider = false;
  for (; cell != cells_.end() && cell->node < group.node + group.nodes; ++cell) {
    if (cell->count > largest) continue;
    wider = true;
    const Box place = box_of_cell(local, cell->node);
    for (std::uint32_t s = 0; s < cell->sharers; ++s) {
      const int rank = sharer_[cell->first_sharer + s];
      if (rank != rank_) wide.include(place.common_with(box[static_cast<std::size_t>(rank)]));
    }
  }
  const Vec3d extent = wide.hi - wide.lo;
  if (std::max({extent.x, extent.y, extent.z}) > most) return false;
  group.box = wide;
  return wider;
}

std::vector<Box> SharedCells::widen_groups(const LocalTree& local, std::span<const Box> box) const {
  std::uint64_t largest = 1;
  for (const Group& group : local.groups) largest = std::max<std::uint64_t>(largest, group.count);
  std::vector<Box> boxes;
  if (largest == 1) return boxes;
  std::vector<char> widened(local.groups.size());
#pragma omp parallel for schedule(dynamic, 256)
  for (std::size_t g = 0; g < local.groups.size(); ++g) {
    widened[g] = static_cast<char>(widen(local, box, largest, local.groups[g]));
  }
  for (std::size_t g = 0; g < local.groups.size(); ++g) {
    if (widened[g] != 0) boxes.push_back(local.groups[g].box);
  }
  return boxes;
}

SharedCells::Shown SharedCells::seen_by(const Cell& cell, const std::vector<bool>& near) const {
  const auto sharers = std::span(sharer_).subspan(cell.first_sharer, cell.sharers);
  const auto there =
      std::count_if(sharers.begin(), sharers.end(), [&](int rank) { return near[static_cast<std::size_t>(rank)]; });
  if (static_cast<std::size_t>(there) == sharers.size()) return Shown::whole;
  return there > 1 ? Shown::opened : Shown::piece;
}

void SharedCells::show(const LocalTree& local, const std::vector<bool>& near) {
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const Cell& cell = cells_[c];
    const Shown shown = seen_by(cell, near);
    if (shown == shown_[c]) continue;
    shown_[c] = shown;
    const bool whole = shown == Shown::whole;
    local.multipole[cell.node] = whole ? cell.whole : cell.piece;
    const Node& node = local.tree.node[cell.node];
    float& radius = local.radius[cell.node];
    radius = shown == Shown::opened ? std::numeric_limits<float>::infinity()
                                    : opening_radius(local.tree.cube, local.key(cell.node), node.level,
                                                     local.multipole[cell.node].centre_of_mass,
                                                     whole ? cell.count : node.count, local.walks.options);
    if (whole && sharer_[cell.first_sharer] != rank_) radius = -radius;
  }
}

}  // namespace multiwalk
