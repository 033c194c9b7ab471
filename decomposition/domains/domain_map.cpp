// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/domains/domain_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

bool rising(const std::vector<double>& cuts, std::size_t sections, int parts) {
  const auto each = static_cast<std::size_t>(parts - 1);
  if (cuts.size() != sections * each) return false;
  if (!std::ranges::all_of(cuts, [](double cut) { return std::isfinite(cut); })) return false;
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k)
    if ((k + 1) % each != 0 && cuts[k] > cuts[k + 1]) return false;
  return true;
}

}  // namespace

DomainGrid choose_grid(int ranks, Vec3d extent) {
  require(ranks > 0, "choose_grid: no ranks");
  const double longest = std::max({extent.x, extent.y, extent.z});
  constexpr double alike = 0.99;  // surfaces count as equal: a sphere is not quite as long along each axis
  const auto side = [&](double length) { return length >= alike * longest ? 1.0 : std::max(length / longest, 1e-6); };
  const Vec3d whole{side(extent.x), side(extent.y), side(extent.z)};
  DomainGrid best{ranks, 1, 1};
  double least = std::numeric_limits<double>::infinity();
  for (int nx = ranks; nx > 0; --nx) {
    if (ranks % nx != 0) continue;
    for (int ny = ranks / nx; ny > 0; --ny) {
      if (ranks / nx % ny != 0) continue;
      const int nz = ranks / nx / ny;
      const Vec3d box{whole.x / nx, whole.y / ny, whole.z / nz};
      const double surface = box.x * box.y + box.y * box.z + box.z * box.x;
      // Among equals the first has the most slabs along x, like the mesh of initial conditions.
      if (surface < least * (1 - 1e-9)) {
        least = surface;
        best = {nx, ny, nz};
      }
    }
  }
  return best;
}

DomainCuts DomainMap::cuts() const {
  const auto parts = [&](std::size_t axis) { return static_cast<std::size_t>(grid[axis]); };
  return {parts(0), parts(1), parts(2), x.data(), y.data(), z.data()};
}

Box DomainMap::box(int rank) const {
  Box box;
  const auto bound = [&](int axis, const std::vector<double>& cuts, int section, int part) {
    const int parts = grid[static_cast<std::size_t>(axis)];
    const double* first = cuts.data() + static_cast<std::ptrdiff_t>(section) * (parts - 1);
    const double infinity = std::numeric_limits<double>::infinity();
    box.lo[axis] = part > 0 ? first[part - 1] : -infinity;
    box.hi[axis] = part + 1 < parts ? first[part] : infinity;
  };
  const int column = rank / grid[2];
  bound(0, x, 0, column / grid[1]);
  bound(1, y, column / grid[1], column % grid[1]);
  bound(2, z, column, rank % grid[2]);
  return box;
}

bool DomainMap::consistent() const {
  if (std::ranges::any_of(grid, [](int n) { return n < 1; })) return false;
  const auto slabs = static_cast<std::size_t>(grid[0]);
  const std::size_t columns = slabs * static_cast<std::size_t>(grid[1]);
  return rising(x, 1, grid[0]) && rising(y, slabs, grid[1]) && rising(z, columns, grid[2]);
}

}  // namespace multiwalk
