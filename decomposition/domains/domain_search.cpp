// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/domains/domain_search.hpp"

#include <algorithm>
#include <span>

namespace multiwalk {

namespace {

/// The parts of one axis between cuts that overlap [lo, hi].
struct Parts {
  Parts(std::span<const double> cuts, double lo, double hi)
      : first(static_cast<int>(part_among(cuts, lo))), last(static_cast<int>(part_among(cuts, hi))) {}
  int first, last;
};

void add_ranks(const DomainMap& domains, const Box& region, std::vector<int>& ranks) {
  const auto [nx, ny, nz] = domains.grid;
  const auto cuts = [](const std::vector<double>& all, int row, int parts) {
    const auto count = static_cast<std::size_t>(parts - 1);
    return std::span(all).subspan(static_cast<std::size_t>(row) * count, count);
  };
  const Parts x(domains.x, region.lo.x, region.hi.x);
  for (int ix = x.first; ix <= x.last; ++ix) {
    const Parts y(cuts(domains.y, ix, ny), region.lo.y, region.hi.y);
    for (int iy = y.first; iy <= y.last; ++iy) {
      const int column = ix * ny + iy;
      const Parts z(cuts(domains.z, column, nz), region.lo.z, region.hi.z);
      for (int iz = z.first; iz <= z.last; ++iz) ranks.push_back(column * nz + iz);
    }
  }
}

}  // namespace

void find_ranks_meeting(const DomainMap& domains, const Box& region, double period, std::vector<int>& ranks) {
  ranks.clear();
  if (!(period > 0)) {
    add_ranks(domains, region, ranks);
    return;
  }
  const Box whole{{0, 0, 0}, {period, period, period}};
  for (int image = 0; image < 27; ++image) {
    const int x = image / 9 - 1, y = image / 3 % 3 - 1, z = image % 3 - 1;
    const Vec3d shift = period * Vec3d{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
    const Box moved{region.lo + shift, region.hi + shift};
    if (whole.meets(moved)) add_ranks(domains, moved, ranks);
  }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
}

}  // namespace multiwalk
