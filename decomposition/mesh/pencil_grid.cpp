// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/mesh/pencil_grid.hpp"

#include <algorithm>

namespace multiwalk {

IndexRange part_of(std::uint32_t n, int part, int parts) {
  const auto begin = [n, parts](int p) {
    return static_cast<std::uint32_t>(std::uint64_t{n} * static_cast<std::uint64_t>(p) /
                                      static_cast<std::uint64_t>(parts));
  };
  return {begin(part), begin(part + 1) - begin(part)};
}

IndexRange overlap(IndexRange a, IndexRange b) {
  const std::uint32_t first = std::max(a.first, b.first);
  const std::uint32_t end = std::min(a.end(), b.end());
  return {first, end > first ? end - first : 0};
}

PencilGrid::PencilGrid(int ranks) : rows(ranks) {
  for (int factor = 1; factor * factor <= ranks; ++factor) {
    if (ranks % factor == 0) columns = factor;
  }
  rows = ranks / columns;
}

Pencil::Pencil(const PencilGrid& grid, int rank, std::uint32_t cells)
    : value_x(part_of(cells, grid.row(rank), grid.rows)),
      value_y(part_of(cells, grid.column(rank), grid.columns)),
      mode_y(part_of(cells, grid.row(rank), grid.rows)),
      mode_z(part_of(cells / 2 + 1, grid.column(rank), grid.columns)) {}

}  // namespace multiwalk
