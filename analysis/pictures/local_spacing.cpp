// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/pictures/local_spacing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "decomposition/mesh/cloud_stencil.hpp"

namespace multiwalk {

namespace {

constexpr double enough = 16;             ///< particles that a cell needs for a density
constexpr std::int64_t most_cells = 256;  ///< per side

/// The number of cells along the longest side that this many particles can fill.
double useful_cells(std::uint64_t particles) {
  return std::min<double>(most_cells, 4 * std::cbrt(static_cast<double>(particles) + 1));
}

}  // namespace

double LocalSpacing::bytes(std::uint64_t particles) {
  constexpr double pyramid = 8.0 / 7;
  return pyramid * sizeof(std::uint64_t) * std::pow(useful_cells(particles), 3);
}

LocalSpacing::LocalSpacing(std::span<const Vec3d> position, const Box& region, double finest, const Communicator& comm)
    : origin_(region.lo) {
  const Vec3d extent = region.hi - region.lo;
  longest_ = std::max({extent.x, extent.y, extent.z});
  const auto everywhere = comm.sum(static_cast<std::uint64_t>(position.size()));
  count_particles(position, region, std::max(finest, longest_ / useful_cells(everywhere)), comm);
  const double particles = std::accumulate(levels_[0].count.begin(), levels_[0].count.end(), 0.0);
  mean_ = std::cbrt(extent.x * extent.y * extent.z / std::max(particles, 1.0));
  while (std::max({levels_.back().size[0], levels_.back().size[1], levels_.back().size[2]}) > 1) coarsen();
}

void LocalSpacing::count_particles(std::span<const Vec3d> position, const Box& region, double cell,
                                   const Communicator& comm) {
  Level level{{1, 1, 1}, cell, {}};
  for (int axis = 0; axis < 3; ++axis) {
    const double cells = std::ceil((region.hi[axis] - region.lo[axis]) / cell);
    level.size[axis] = std::clamp<std::int64_t>(static_cast<std::int64_t>(cells), 1, most_cells);
  }
  level.count.resize(static_cast<std::size_t>(level.size[0] * level.size[1] * level.size[2]));
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < position.size(); ++i) {
    if (!region.contains(position[i])) continue;
    std::int64_t index[3];
    for (int axis = 0; axis < 3; ++axis) {
      const auto place = static_cast<std::int64_t>((position[i][axis] - origin_[axis]) / cell);
      index[axis] = std::min(place, level.size[axis] - 1);
    }
    const auto flat = static_cast<std::size_t>((index[2] * level.size[1] + index[1]) * level.size[0] + index[0]);
#pragma omp atomic
    ++level.count[flat];
  }
  comm.sum(std::span<std::uint64_t>(level.count));
  levels_.push_back(std::move(level));
}

void LocalSpacing::coarsen() {
  const Level& fine = levels_.back();
  Level coarse{{(fine.size[0] + 1) / 2, (fine.size[1] + 1) / 2, (fine.size[2] + 1) / 2}, 2 * fine.cell, {}};
  coarse.count.resize(static_cast<std::size_t>(coarse.size[0] * coarse.size[1] * coarse.size[2]));
  for (std::int64_t z = 0; z < fine.size[2]; ++z) {
    for (std::int64_t y = 0; y < fine.size[1]; ++y) {
      for (std::int64_t x = 0; x < fine.size[0]; ++x) {
        const auto to = static_cast<std::size_t>((z / 2 * coarse.size[1] + y / 2) * coarse.size[0] + x / 2);
        coarse.count[to] += fine.count[static_cast<std::size_t>((z * fine.size[1] + y) * fine.size[0] + x)];
      }
    }
  }
  levels_.push_back(std::move(coarse));
}

double LocalSpacing::count_at(const Level& level, Vec3d point) const {
  CloudStencil along[3];
  for (int axis = 0; axis < 3; ++axis) {
    along[axis] = cloud_stencil((point[axis] - origin_[axis]) / level.cell, level.size[axis]);
  }
  double count = 0;
  for (int z = 0; z < 3; ++z) {
    for (int y = 0; y < 3; ++y) {
      const std::int64_t row = (along[2].cell[z] * level.size[1] + along[1].cell[y]) * level.size[0];
      double line = 0;
      for (int x = 0; x < 3; ++x) {
        line += along[0].weight[x] * static_cast<double>(level.count[static_cast<std::size_t>(row + along[0].cell[x])]);
      }
      count += along[2].weight[z] * along[1].weight[y] * line;
    }
  }
  return count;
}

double LocalSpacing::at(Vec3d point) const {
  double last = 0;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const double count = count_at(levels_[l], point);
    const double here = levels_[l].cell * std::cbrt(1 / std::max(count, 1e-3));
    if (count >= enough) {
      if (l == 0 || last <= 0) return std::min(here, longest_);
      const double below = levels_[l - 1].cell * std::cbrt(1 / last);
      const double share = std::clamp(std::log(enough / last) / std::log(count / last), 0.0, 1.0);
      return std::min(below * std::pow(here / below, share), longest_);
    }
    last = count;
  }
  return std::min(longest_, levels_.back().cell * std::cbrt(1 / std::max(last, 1.0)));
}

}  // namespace multiwalk
