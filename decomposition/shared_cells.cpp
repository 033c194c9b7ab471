#include "decomposition/shared_cells.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "host/tree/sfc_key.hpp"

namespace multiwalk {

namespace {

/// A rank's piece of a cell as it travels; ordered by level and key.
struct Piece {
  Vec3d centre_of_mass;
  std::uint64_t key = 0;  ///< the cell's part of its particles' keys
  float mass = 0;
  float xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  std::uint32_t count = 0;
  std::uint32_t level = 0;
  std::uint32_t node = 0;  ///< in the sender's tree

  [[nodiscard]] std::tuple<std::uint32_t, std::uint64_t> place() const { return {level, key}; }
  [[nodiscard]] Multipole moments() const { return {centre_of_mass, mass, xx, xy, xz, yy, yz, zz}; }
};
static_assert(sizeof(Piece) == shared_piece_bytes);

Piece piece_of(const TreeView& tree, std::uint32_t n) {
  const Node& node = tree.node[n];
  const Multipole& m = tree.multipole[n];
  return {m.centre_of_mass,
          tree.key[node.first] >> 3 * (key_levels - node.level),
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

bool cell_meets(const TreeView& tree, std::uint32_t n, const Box& box) {
  return cell_box(tree.cube, tree.key[tree.node[n].first], tree.node[n].level).meets(box);
}

/// The local nodes whose cells reach into `box`, by level and key.
std::vector<Piece> pieces_in(const TreeView& tree, const Box& box, int first_level) {
  std::vector<Piece> pieces;
  std::vector<std::uint32_t> level{0}, next;
  if (tree.node.empty() || box.empty() || !cell_meets(tree, 0, box)) return pieces;
  while (!level.empty()) {
    next.clear();
    for (const std::uint32_t n : level) {
      if (tree.node[n].level >= first_level) pieces.push_back(piece_of(tree, n));
      for (std::uint32_t c = 0; c < tree.node[n].child_count; ++c) {
        const std::uint32_t child = tree.node[n].first_child + c;
        if (cell_meets(tree, child, box)) next.push_back(child);
      }
    }
    level.swap(next);
  }
  return pieces;
}

/// The pieces that two ranks both have, in order: pairs (mine, theirs).
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

void open_above(const LocalTree& local, int first_level) {
  for (std::uint32_t n = 0; n < local.tree.node.size() && local.tree.node[n].level < first_level; ++n) {
    local.nodes.radius2[n] = std::numeric_limits<double>::infinity();
  }
}

}  // namespace

void SharedCells::find(const Communicator& comm, const LocalTree& local, std::span<const Box> box, int first_level) {
  std::vector<std::vector<Piece>> for_rank(box.size());
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t r = 0; r < box.size(); ++r) {
    if (static_cast<int>(r) != comm.rank()) for_rank[r] = pieces_in(local.tree, box[r], first_level);
  }
  std::vector<Piece> sent;
  std::vector<std::uint64_t> counts;
  for (const std::vector<Piece>& pieces : for_rank) {
    sent.insert(sent.end(), pieces.begin(), pieces.end());
    counts.push_back(pieces.size());
  }
  const Received<Piece> received = comm.exchange(std::span<const Piece>(sent), std::span<const std::uint64_t>(counts));
  std::vector<CellMatch> matches;
  std::size_t first = 0;
  for (std::size_t r = 0; r < box.size(); ++r) {
    for_each_match(for_rank[r], std::span(received.data).subspan(first, received.count[r]),
                   [&](const Piece& mine, const Piece& theirs) {
                     matches.push_back({mine.node, static_cast<int>(r), theirs.moments(), theirs.count});
                   });
    first += received.count[r];
  }
  std::sort(matches.begin(), matches.end(),
            [](const CellMatch& a, const CellMatch& b) { return std::tie(a.node, a.rank) < std::tie(b.node, b.rank); });
  take(comm.rank(), local, matches, first_level);
}

void SharedCells::take(int rank, const LocalTree& local, std::span<const CellMatch> matches, int first_level) {
  rank_ = rank;
  cells_.clear();
  sharer_.clear();
  std::vector<Multipole> pieces;
  for (std::size_t m = 0; m < matches.size();) {
    const std::uint32_t node = matches[m].node;
    Cell cell{
        node, local.tree.multipole[node], {}, local.tree.node[node].count, static_cast<std::uint32_t>(sharer_.size()),
        0};
    pieces.clear();
    bool placed = false;
    const auto place_own = [&] {
      if (placed) return;
      placed = true;
      pieces.push_back(cell.piece);
      sharer_.push_back(rank_);
    };
    for (; m < matches.size() && matches[m].node == node; ++m) {
      if (matches[m].rank > rank_) place_own();
      pieces.push_back(matches[m].piece);
      sharer_.push_back(matches[m].rank);
      cell.count += matches[m].count;
    }
    place_own();
    cell.sharers = static_cast<std::uint32_t>(pieces.size());
    cell.whole = merge_multipoles(pieces);
    cells_.push_back(cell);
  }
  shown_.assign(cells_.size(), Shown::piece);
  open_above(local, first_level);
}

/// True if it had to be.
bool SharedCells::widen(const LocalTree& local, std::span<const Box> box, std::uint64_t largest, Group& group) const {
  const auto cell = std::lower_bound(cells_.begin(), cells_.end(), group.node,
                                     [](const Cell& c, std::uint32_t node) { return c.node < node; });
  if (cell == cells_.end() || cell->node != group.node || cell->count > largest) return false;
  const Node& node = local.tree.node[group.node];
  const Box place = cell_box(local.tree.cube, local.tree.key[node.first], node.level);
  for (std::uint32_t s = 0; s < cell->sharers; ++s) {
    const int rank = sharer_[cell->first_sharer + s];
    if (rank != rank_) group.box.include(place.common_with(box[static_cast<std::size_t>(rank)]));
  }
  return true;
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
    const std::uint64_t count = whole ? cell.count : local.tree.node[cell.node].count;
    set_walk_node(local.tree, cell.node, local.multipole[cell.node], count, local.options, local.gravitational_constant,
                  local.nodes);
    double& radius2 = local.nodes.radius2[cell.node];
    if (shown == Shown::opened) radius2 = std::numeric_limits<double>::infinity();
    if (whole && sharer_[cell.first_sharer] != rank_) radius2 = -radius2;
  }
}

}  // namespace multiwalk
