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
#include "host/tree/octree.hpp"

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

/// Cells as far away as this along each axis may hold friends.
constexpr std::uint64_t cells_reached = 2;

/// Cells side by side along z, relative to one.
struct Row {
  std::int64_t dx, dy, z_low, z_high;
};

/// Half of the cells that may hold friends, the nearest rows first.
constexpr Row nearby_rows[] = {{0, 0, 1, 2},  {0, 1, -2, 2},  {1, 0, -2, 2},  {1, -1, -2, 2}, {1, 1, -2, 2},
                               {0, 2, -2, 2}, {2, 0, -2, 2},  {1, -2, -2, 2}, {1, 2, -2, 2},  {2, -1, -2, 2},
                               {2, 1, -2, 2}, {2, -2, -2, 2}, {2, 2, -2, 2}};

/// Cells by their three numbers, each below 2^21, packed into one key with z lowest.
class Grid {
 public:
  Grid(std::span<const Vec3d> position, double linking_length, double period) : periodic_(period > 0) {
    // Slightly less than the linking length over the root of three, to allow for rounding in the cell numbers.
    const double widest = linking_length / std::sqrt(3.0) * (1 - 1e-6);
    Box box{{0, 0, 0}, {period, period, period}};
    if (!periodic_) box = bounding_box(position);
    origin_ = box.lo;
    const Vec3d extent = box.hi - box.lo;
    const double cells = std::ceil(std::max({extent.x, extent.y, extent.z}) / widest);
    if (!(cells < limit - 4)) throw InputError("the linking length is too short for the extent of the particles");
    side_ = periodic_ ? period / cells : widest;
    cells_ = static_cast<std::int64_t>(cells);
  }

  [[nodiscard]] std::uint64_t key(Vec3d x) const {
    std::int64_t number[3];
    for (int axis = 0; axis < 3; ++axis) {
      number[axis] = static_cast<std::int64_t>((x[axis] - origin_[axis]) / side_);
      if (periodic_) number[axis] = std::min(number[axis], cells_ - 1);
    }
    return pack(number[0], number[1], number[2]);
  }

  /// Whether no row around the cell leaves the grid.
  [[nodiscard]] bool interior(std::uint64_t key) const {
    const auto last = static_cast<std::uint64_t>(cells_) - 1;
    const auto inside = [last](std::uint64_t number) {
      return number >= cells_reached && number + cells_reached <= last;
    };
    return inside(key >> 42) && inside(key >> 21 & mask) && inside(key & mask);
  }

  /// Calls act(first key, last key) for the keys of a row near the cell.
  template <class Act>
  void for_row(std::uint64_t key, bool is_interior, const Row& row, Act act) const {
    if (is_interior) {
      const std::uint64_t beside =
          key + (static_cast<std::uint64_t>(row.dx) << 42) + (static_cast<std::uint64_t>(row.dy) << 21);
      act(beside + static_cast<std::uint64_t>(row.z_low), beside + static_cast<std::uint64_t>(row.z_high));
      return;
    }
    std::int64_t x = static_cast<std::int64_t>(key >> 42) + row.dx,
                 y = static_cast<std::int64_t>(key >> 21 & mask) + row.dy;
    const auto z = static_cast<std::int64_t>(key & mask);
    const std::int64_t low = z + row.z_low, high = z + row.z_high, last = cells_ - 1;
    if (!periodic_) {
      if (x < 0 || y < 0) return;
      act(pack(x, y, std::max<std::int64_t>(low, 0)), pack(x, y, high));
      return;
    }
    x = within(x);
    y = within(y);
    act(pack(x, y, std::max<std::int64_t>(low, 0)), pack(x, y, std::min(high, last)));
    if (low < 0) act(pack(x, y, std::max<std::int64_t>(low + cells_, 0)), pack(x, y, last));
    if (high > last) act(pack(x, y, 0), pack(x, y, std::min(high - cells_, last)));
  }

 private:
  static constexpr double limit = 2097152;
  static constexpr std::uint64_t mask = 0x1fffff;

  /// The number of a cell's image in the box; faster than a division, since neighbours are few periods away.
  [[nodiscard]] std::int64_t within(std::int64_t number) const {
    while (number < 0) number += cells_;
    while (number >= cells_) number -= cells_;
    return number;
  }

  static std::uint64_t pack(std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<std::uint64_t>(x) << 42 | static_cast<std::uint64_t>(y) << 21 | static_cast<std::uint64_t>(z);
  }

  bool periodic_;
  Vec3d origin_;
  double side_ = 0;
  std::int64_t cells_ = 0;
};

/// The points sorted by cell.
struct OccupiedCells {
  OccupiedCells(std::span<const Vec3d> position, const Grid& grid) {
    SortScratch sort;
    sort.entries.resize(position.size());
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < position.size(); ++i)
      sort.entries[i] = {grid.key(position[i]), static_cast<std::uint32_t>(i)};
    sort_entries(sort);
    release(sort.other);
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

  /// The first cell whose key is not below `wanted`; fast if `near` is close to it.
  [[nodiscard]] std::size_t find(std::uint64_t wanted, std::size_t near) const {
    constexpr int few = 8;
    const std::size_t count = key.size();
    std::size_t low = 0, high = near;
    if (near == 0 || key[near - 1] < wanted) {
      for (int tried = 0; tried < few; ++tried, ++near)
        if (near == count || key[near] >= wanted) return near;
      std::size_t step = 1;
      for (low = near; near + step < count && key[near + step] < wanted; step *= 2) low = near + step;
      high = std::min(near + step, count);
    }
    const auto begin = key.begin();
    return static_cast<std::size_t>(
        std::lower_bound(begin + static_cast<std::ptrdiff_t>(low), begin + static_cast<std::ptrdiff_t>(high), wanted) -
        begin);
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

void join_cells(const OccupiedCells& cells, const Grid& grid, double length, double period, CellSets& sets) {
  constexpr std::size_t stretch = 512;
  const std::size_t count = cells.key.size(), stretches = (count + stretch - 1) / stretch;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t s = 0; s < stretches; ++s) {
    const std::size_t begin = s * stretch, end = std::min(count, begin + stretch);
    std::array<bool, stretch> interior;
    for (std::size_t c = begin; c < end; ++c) interior[c - begin] = grid.interior(cells.key[c]);
    for (const Row& row : nearby_rows) {
      std::size_t near = 0;
      for (std::size_t c = begin; c < end; ++c) {
        const auto join_range = [&](std::uint64_t low, std::uint64_t high) {
          near = cells.find(low, near);
          for (std::size_t other = near; other < count && cells.key[other] <= high; ++other) {
            const auto a = static_cast<std::uint32_t>(c), b = static_cast<std::uint32_t>(other);
            if (sets.root(a) == sets.root(b)) continue;
            if (any_friends(cells.points(c), cells.points(other), length, period)) sets.join(a, b);
          }
        };
        grid.for_row(cells.key[c], interior[c - begin], row, join_range);
      }
    }
  }
}

}  // namespace

LargeArray<std::uint32_t> link_points(std::span<const Vec3d> position, double linking_length, double period) {
  if (!(linking_length > 0) || !std::isfinite(linking_length)) throw InputError("the linking length must be positive");
  if (position.empty()) return {};
  const Grid grid(position, linking_length, period);
  const OccupiedCells cells(position, grid);
  const std::size_t count = cells.key.size();
  CellSets sets(count);
  join_cells(cells, grid, linking_length, period, sets);
  LargeArray<std::uint32_t> lowest(count), group(position.size());
  fill_parallel(std::span(lowest), std::numeric_limits<std::uint32_t>::max());
#pragma omp parallel for schedule(static)
  for (std::size_t c = 0; c < count; ++c)
    lower_atomically(lowest[sets.root(static_cast<std::uint32_t>(c))], cells.index[cells.first[c]]);
#pragma omp parallel for schedule(static)
  for (std::size_t c = 0; c < count; ++c) {
    const std::uint32_t least = lowest[sets.root(static_cast<std::uint32_t>(c))];
    for (std::size_t i = cells.first[c]; i < cells.first[c + 1]; ++i) group[cells.index[i]] = least;
  }
  return group;
}

}  // namespace multiwalk
