// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/halos/point_links.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "host/base/box.hpp"
#include "host/base/error.hpp"
#include "host/base/parallel_arrays.hpp"
#include "host/base/separation.hpp"
#include "host/particles/particle_store.hpp"
#include "host/tree/item_sort.hpp"

namespace multiwalk {

namespace {

/// Disjoint sets of cells; a set's root is its lowest cell. Several threads may join sets at once.
class CellSets {
 public:
  explicit CellSets(std::size_t cells) : parent_(cells) {
#pragma omp parallel for schedule(static)
    for (std::size_t c = 0; c < cells; ++c) parent_[c] = static_cast<std::uint32_t>(c);
  }

  std::uint32_t root(std::uint32_t cell) {
    for (;;) {
      const std::uint32_t above = parent(cell).load(std::memory_order_relaxed);
      if (above == cell) return cell;
      const std::uint32_t next = parent(above).load(std::memory_order_relaxed);
      if (next != above) parent(cell).store(next, std::memory_order_relaxed);
      cell = next;
    }
  }

  /// Whether the cells are in one set.
  bool joined(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t above_a = parent(a).load(std::memory_order_relaxed);
    const std::uint32_t above_b = parent(b).load(std::memory_order_relaxed);
    return above_a == above_b || root(above_a) == root(above_b);
  }

  void join(std::uint32_t a, std::uint32_t b) {
    for (;;) {
      a = root(a);
      b = root(b);
      if (a == b) return;
      if (a > b) std::swap(a, b);
      if (parent(b).compare_exchange_strong(b, a)) return;
    }
  }

 private:
  std::atomic_ref<std::uint32_t> parent(std::uint32_t cell) {
    return std::atomic_ref(parent_[cell]);
  }

  LargeArray<std::uint32_t> parent_;
};

/// Blocks of 2 x 2 x 2 cells, side by side along z: those from one before to one behind the row's middle.
struct Row {
  std::int64_t dx, dy;
};

/// With the rest of its own row, half of the blocks around a block.
constexpr Row nearby_rows[] = {{0, 1}, {1, 0}, {1, -1}, {1, 1}};

/// Bits of the cells of a block, z lowest.
using CellMask = std::uint8_t;

/// At [number of a cell in its block]: the cells that may hold friends of its points, in a block this many blocks away.
constexpr std::array<CellMask, 8> near_cells(std::int64_t dx, std::int64_t dy, std::int64_t dz) {
  const auto reaches = [](std::int64_t blocks, int from, int to) {
    const std::int64_t cells = 2 * blocks + to - from;
    return cells >= -2 && cells <= 2;
  };
  std::array<CellMask, 8> near{};
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) {
      const bool meet = reaches(dx, a >> 2, b >> 2) && reaches(dy, a >> 1 & 1, b >> 1 & 1) && reaches(dz, a & 1, b & 1);
      near[static_cast<std::size_t>(a)] |= static_cast<CellMask>(meet ? 1 << b : 0);
    }
  }
  return near;
}

/// At [row][dz + 1] what near_cells gives for the blocks of nearby_rows.
constexpr auto cells_near_rows = [] {
  std::array<std::array<std::array<CellMask, 8>, 3>, std::size(nearby_rows)> near{};
  for (std::size_t row = 0; row < near.size(); ++row)
    for (std::size_t z = 0; z < 3; ++z)
      near[row][z] = near_cells(nearby_rows[row].dx, nearby_rows[row].dy, static_cast<std::int64_t>(z) - 1);
  return near;
}();

/// Cubic cells whose diagonal is shorter than the linking length, in blocks whose side is longer than it. A key holds a
/// block's three numbers, each below 2^20, z lowest, and then the number of a cell in the block.
class Grid {
 public:
  Grid(std::span<const Vec3d> position, double linking_length, double period) : periodic_(period > 0) {
    const double margin = 1 + 1e-6;  // for rounding in the cells' numbers
    Box box{{0, 0, 0}, {period, period, period}};
    if (!periodic_) box = bounding_box(position);
    origin_ = box.lo;
    const Vec3d extent = box.hi - box.lo;
    const double longest = std::max({extent.x, extent.y, extent.z}), blocks = longest / (margin * linking_length);
    if (!(blocks < limit - 4)) throw InputError("the linking length is too short for the extent of the particles");
    blocks_ = static_cast<std::int64_t>(blocks) + (periodic_ ? 0 : 1);
    cells_per_length_ = 2 / (margin * linking_length);
    // The cells of fewer blocks might be too large, and a block's neighbours the same on both sides.
    constexpr std::int64_t fewest = 7;
    is_tiny_ = periodic_ && blocks_ < fewest;
    if (is_tiny_) blocks_ = fewest;
    if (periodic_) cells_per_length_ = 2 * static_cast<double>(blocks_) / period;
  }

  [[nodiscard]] std::uint64_t key(Vec3d x) const {
    std::int64_t number[3];
    for (int axis = 0; axis < 3; ++axis) {
      number[axis] = static_cast<std::int64_t>((x[axis] - origin_[axis]) * cells_per_length_);
      if (periodic_) number[axis] = std::min(number[axis], 2 * blocks_ - 1);
    }
    const std::int64_t within = (number[0] & 1) << 2 | (number[1] & 1) << 1 | (number[2] & 1);
    return pack(number[0] / 2, number[1] / 2, number[2] / 2) << 3 | static_cast<std::uint64_t>(within);
  }

  /// Whether blocks may be shorter than the linking length: any two cells may hold friends.
  [[nodiscard]] bool is_tiny() const { return is_tiny_; }

  /// Whether all blocks around this one lie in the grid.
  [[nodiscard]] bool interior(std::uint64_t block) const {
    const auto last = static_cast<std::uint64_t>(blocks_) - 1;
    const auto inside = [last](std::uint64_t number) { return number > 0 && number < last; };
    return inside(block >> 2 * axis_bits) && inside(block >> axis_bits & mask) && inside(block & mask);
  }

  /// The first of the three blocks of a row near an interior block.
  [[nodiscard]] static std::uint64_t first_beside(std::uint64_t block, const Row& row) {
    return block + (static_cast<std::uint64_t>(row.dx) << 2 * axis_bits) +
           (static_cast<std::uint64_t>(row.dy) << axis_bits) - 1;
  }

  /// Calls act(first block, last block) for the blocks dz_low to dz_high of a row near the block.
  template <class Act>
  void for_row(std::uint64_t block, const Row& row, std::int64_t dz_low, std::int64_t dz_high, Act act) const {
    std::int64_t x = static_cast<std::int64_t>(block >> 2 * axis_bits) + row.dx,
                 y = static_cast<std::int64_t>(block >> axis_bits & mask) + row.dy;
    const auto z = static_cast<std::int64_t>(block & mask);
    const std::int64_t low = z + dz_low, high = z + dz_high, last = blocks_ - 1;
    if (!periodic_) {
      if (x >= 0 && y >= 0) act(pack(x, y, std::max<std::int64_t>(low, 0)), pack(x, y, high));
      return;
    }
    x = within(x);
    y = within(y);
    if (low <= last) act(pack(x, y, std::max<std::int64_t>(low, 0)), pack(x, y, std::min(high, last)));
    if (low < 0) act(pack(x, y, last), pack(x, y, last));
    if (high > last) act(pack(x, y, 0), pack(x, y, 0));
  }

 private:
  static constexpr int axis_bits = 20;
  static constexpr double limit = 1 << axis_bits;
  static constexpr std::uint64_t mask = (std::uint64_t{1} << axis_bits) - 1;

  /// The number of a block's image in the box, for a block at most one away.
  [[nodiscard]] std::int64_t within(std::int64_t number) const {
    return number < 0 ? number + blocks_ : number >= blocks_ ? number - blocks_ : number;
  }

  static std::uint64_t pack(std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<std::uint64_t>(x) << 2 * axis_bits | static_cast<std::uint64_t>(y) << axis_bits |
           static_cast<std::uint64_t>(z);
  }

  bool periodic_, is_tiny_ = false;
  Vec3d origin_;
  double cells_per_length_ = 0;
  std::int64_t blocks_ = 0;
};

/// The points sorted by cell.
struct OccupiedCells {
  OccupiedCells(std::span<const Vec3d> position, const Grid& grid) {
    SortScratch sort;
    const auto write_keys = [&](std::uint32_t begin, std::span<std::uint64_t> keys) {
      for (std::size_t k = 0; k < keys.size(); ++k) keys[k] = grid.key(position[begin + k]);
    };
    sort_items(static_cast<std::uint32_t>(position.size()), write_keys, sort);
    release(sort.bucket);
    const LargeArray<SortScratch::Entry>& entries = sort.entries;
    select_in_order(
        entries.size(), [&](std::size_t i) { return i == 0 || entries[i].key != entries[i - 1].key; },
        [&](std::size_t cells) {
          key.resize(cells);
          first.resize(cells + 1);
        },
        [&](std::size_t cell, std::size_t i) {
          key[cell] = entries[i].key;
          first[cell] = static_cast<std::uint32_t>(i);
        });
    first.back() = static_cast<std::uint32_t>(position.size());
    index.resize(position.size());
    sorted.resize(position.size());
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < position.size(); ++i) {
      index[i] = entries[i].index;
      sorted[i] = position[index[i]];
    }
  }

  /// The first cell whose key is not below `wanted`.
  [[nodiscard]] std::size_t find(std::uint64_t wanted) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(key, wanted) - key.begin());
  }

  [[nodiscard]] std::span<const Vec3d> points(std::size_t cell) const {
    return std::span(sorted).subspan(first[cell], first[cell + 1] - first[cell]);
  }

  LargeArray<std::uint64_t> key;    ///< (cells) rising
  LargeArray<std::uint32_t> first;  ///< (cells + 1)
  LargeArray<std::uint32_t> index;  ///< (N) rising in each cell
  LargeArray<Vec3d> sorted;         ///< (N)
};

bool any_friends(std::span<const Vec3d> a, std::span<const Vec3d> b, double length, double period) {
  for (const Vec3d& x : a) {
    for (const Vec3d& y : b) {
      if (norm2(separation(x, y, period)) <= length * length) return true;
    }
  }
  return false;
}

/// Joins cells whose points are friends.
class CellJoiner {
 public:
  CellJoiner(const OccupiedCells& cells, const Grid& grid, double length, double period, CellSets& sets)
      : cells_(cells), grid_(grid), length_(length), period_(period), sets_(sets), count_(cells.key.size()) {}

  void join_all() {
#pragma omp parallel for schedule(dynamic)
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = a + 1; b < count_; ++b) try_pair(a, b, period_);
  }

  void join_near() {
    constexpr std::size_t stretch = 512;
    const std::size_t stretches = (count_ + stretch - 1) / stretch;
#pragma omp parallel
    {
      Blocks blocks;
      std::vector<Meeting> meetings;
#pragma omp for schedule(dynamic)
      for (std::size_t s = 0; s < stretches; ++s) {
        find_blocks(s * stretch, std::min(count_, (s + 1) * stretch), blocks);
        for (const Block& block : blocks.interior) join_next(block);
        for (std::size_t row = 0; row < std::size(nearby_rows); ++row) {
          find_meetings(blocks.interior, nearby_rows[row], meetings);
          for (const Meeting& meeting : meetings) join_row(blocks.interior[meeting.block], row, meeting.other);
        }
        for (const Block& block : blocks.border) join_over_border(block);
      }
    }
  }

 private:
  /// Occupied cells of a block.
  struct Block {
    std::size_t begin, end;
    std::uint64_t number;
  };
  struct Blocks {
    std::vector<Block> interior, border;
  };
  /// A block and the first cell of a row near it.
  struct Meeting {
    std::uint32_t block, other;
  };

  [[nodiscard]] std::uint64_t block_of(std::size_t cell) const {
    return cells_.key[cell] >> 3;
  }
  [[nodiscard]] std::size_t end_of_block(std::size_t cell) const {
    const std::uint64_t number = block_of(cell);
    do ++cell;
    while (cell < count_ && block_of(cell) == number);
    return cell;
  }

  /// The blocks whose first cells are among [begin, end).
  void find_blocks(std::size_t begin, std::size_t end, Blocks& blocks) {
    blocks.interior.clear();
    blocks.border.clear();
    if (begin > 0 && block_of(begin) == block_of(begin - 1)) begin = end_of_block(begin);
    while (begin < end) {
      const Block block{begin, end_of_block(begin), block_of(begin)};
      (grid_.interior(block.number) ? blocks.interior : blocks.border).push_back(block);
      begin = block.end;
    }
  }

  /// The blocks with occupied cells in a row near them. Most have none: without branches that nobody can predict.
  void find_meetings(std::span<const Block> blocks, const Row& row, std::vector<Meeting>& meetings) const {
    meetings.resize(blocks.size() + 1);
    std::size_t found = 0, block = 0;
    const std::uint64_t apart = Grid::first_beside(0, row);
    std::size_t other = blocks.empty() ? count_ : cells_.find((blocks.front().number + apart) << 3);
    const std::uint64_t* const keys = cells_.key.data();
    while (block < blocks.size() && other < count_) {
      const std::uint64_t ahead = keys[other] - ((blocks[block].number + apart) << 3);  // negative where it is behind
      const std::size_t behind = ahead >> 63;
      meetings[found] = {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(other)};
      found += ahead < (3 << 3) ? 1 : 0;
      other += behind;
      block += 1 - behind;
    }
    meetings.resize(found);
  }

  /// The pairs of an interior block's cells, and those with the next block along z.
  void join_next(const Block& block) {
    static constexpr std::array<CellMask, 8> ahead = near_cells(0, 0, 1);
    join_within(block);
    if (block.end < count_ && block_of(block.end) == block.number + 1)
      join_masked(block, block.end, end_of_block(block.end), ahead);
  }

  /// With one of nearby_rows. `other`: the row's first cell.
  void join_row(const Block& block, std::size_t row, std::size_t other) {
    const std::uint64_t low = Grid::first_beside(block.number, nearby_rows[row]);
    while (other < count_ && block_of(other) <= low + 2) {
      const std::size_t end = end_of_block(other);
      join_masked(block, other, end, cells_near_rows[row][block_of(other) - low]);
      other = end;
    }
  }

  void join_over_border(const Block& block) {
    join_within(block);
    const auto join = [&](std::uint64_t low, std::uint64_t high) { join_range(block, low, high); };
    grid_.for_row(block.number, {0, 0}, 1, 1, join);
    for (const Row& row : nearby_rows) grid_.for_row(block.number, row, -1, 1, join);
  }

  void join_within(const Block& block) {
    for (std::size_t a = block.begin; a < block.end; ++a)
      for (std::size_t b = a + 1; b < block.end; ++b) try_pair(a, b, 0);
  }

  /// With cells of one block, those that the masks allow.
  void join_masked(const Block& block, std::size_t begin, std::size_t end, const std::array<CellMask, 8>& masks) {
    for (std::size_t a = block.begin; a < block.end; ++a) {
      const CellMask mask = masks[cells_.key[a] & 7];
      for (std::size_t b = begin; b < end; ++b)
        if ((mask >> (cells_.key[b] & 7) & 1) != 0) try_pair(a, b, 0);
    }
  }

  /// With all cells of the blocks low to high.
  void join_range(const Block& block, std::uint64_t low, std::uint64_t high) {
    for (std::size_t b = cells_.find(low << 3); b < count_ && block_of(b) <= high; ++b)
      for (std::size_t a = block.begin; a < block.end; ++a) try_pair(a, b, period_);
  }

  void try_pair(std::size_t first, std::size_t second, double period) {
    const auto a = static_cast<std::uint32_t>(first), b = static_cast<std::uint32_t>(second);
    if (sets_.joined(a, b)) return;
    if (any_friends(cells_.points(a), cells_.points(b), length_, period)) sets_.join(a, b);
  }

  const OccupiedCells& cells_;
  const Grid& grid_;
  double length_, period_;
  CellSets& sets_;
  std::size_t count_;
};

}  // namespace

LargeArray<std::uint32_t> link_points(std::span<const Vec3d> position, double linking_length, double period) {
  if (!(linking_length > 0) || !std::isfinite(linking_length)) throw InputError("the linking length must be positive");
  if (position.empty()) return {};
  const Grid grid(position, linking_length, period);
  OccupiedCells cells(position, grid);
  const std::size_t count = cells.key.size();
  CellSets sets(count);
  CellJoiner joiner(cells, grid, linking_length, period, sets);
  if (grid.is_tiny()) {
    joiner.join_all();
  } else {
    joiner.join_near();
  }
  LargeArray<std::uint32_t> group(position.size());
  LargeArray<std::uint64_t>& lowest = cells.key;  // whose keys are no longer needed
  fill_parallel(std::span(lowest), std::numeric_limits<std::uint64_t>::max());
#pragma omp parallel for schedule(static)
  for (std::size_t c = 0; c < count; ++c)
    lower_atomically(lowest[sets.root(static_cast<std::uint32_t>(c))], std::uint64_t{cells.index[cells.first[c]]});
#pragma omp parallel for schedule(static)
  for (std::size_t c = 0; c < count; ++c) {
    const auto least = static_cast<std::uint32_t>(lowest[sets.root(static_cast<std::uint32_t>(c))]);
    for (std::size_t i = cells.first[c]; i < cells.first[c + 1]; ++i) group[cells.index[i]] = least;
  }
  return group;
}

}  // namespace multiwalk
