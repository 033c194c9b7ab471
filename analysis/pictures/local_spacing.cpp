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
    : origin_(region.lo), extent_(region.hi - region.lo) {
  longest_ = std::max({extent_.x, extent_.y, extent_.z});
  const auto everywhere = comm.sum(static_cast<std::uint64_t>(position.size()));
  count_particles(position, region, std::max(finest, longest_ / useful_cells(everywhere)), comm);
  const double particles = std::accumulate(levels_[0].count.begin(), levels_[0].count.end(), 0.0);
  mean_ = std::cbrt(extent_.x * extent_.y * extent_.z / std::max(particles, 1.0));
  while (std::max({levels_.back().size[0], levels_.back().size[1], levels_.back().size[2]}) > 1) coarsen();
}

void LocalSpacing::count_particles(std::span<const Vec3d> position, const Box& region, double cell,
                                   const Communicator& comm) {
  Level level{{1, 1, 1}, cell, {}, {}};
  for (int axis = 0; axis < 3; ++axis) {
    const double cells = std::ceil(extent_[axis] / cell);
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
  add_level(std::move(level));
}

void LocalSpacing::add_level(Level level) {
  for (int axis = 0; axis < 3; ++axis) {
    level.last[axis] = std::clamp(extent_[axis] / level.cell - static_cast<double>(level.size[axis] - 1), 1e-3, 1.0);
  }
  levels_.push_back(std::move(level));
}

void LocalSpacing::coarsen() {
  const Level& fine = levels_.back();
  Level coarse{{(fine.size[0] + 1) / 2, (fine.size[1] + 1) / 2, (fine.size[2] + 1) / 2}, 2 * fine.cell, {}, {}};
  coarse.count.resize(static_cast<std::size_t>(coarse.size[0] * coarse.size[1] * coarse.size[2]));
  for (std::int64_t z = 0; z < fine.size[2]; ++z) {
    for (std::int64_t y = 0; y < fine.size[1]; ++y) {
      for (std::int64_t x = 0; x < fine.size[0]; ++x) {
        const auto to = static_cast<std::size_t>((z / 2 * coarse.size[1] + y / 2) * coarse.size[0] + x / 2);
        coarse.count[to] += fine.count[static_cast<std::size_t>((z * fine.size[1] + y) * fine.size[0] + x)];
      }
    }
  }
  add_level(std::move(coarse));
}

LocalSpacing::Near LocalSpacing::near(const Level& level, Vec3d point) const {
  CloudStencil along[3];
  Near near{0, 1};
  for (int axis = 0; axis < 3; ++axis) {
    along[axis] = cloud_stencil((point[axis] - origin_[axis]) / level.cell, level.size[axis]);
    double inside = 0;
    for (int i = 0; i < 3; ++i) {
      inside += along[axis].weight[i] * (along[axis].cell[i] == level.size[axis] - 1 ? level.last[axis] : 1);
    }
    near.volume *= inside;
  }
  for (int z = 0; z < 3; ++z) {
    for (int y = 0; y < 3; ++y) {
      const std::int64_t row = (along[2].cell[z] * level.size[1] + along[1].cell[y]) * level.size[0];
      double line = 0;
      for (int x = 0; x < 3; ++x) {
        line += along[0].weight[x] * static_cast<double>(level.count[static_cast<std::size_t>(row + along[0].cell[x])]);
      }
      near.count += along[2].weight[z] * along[1].weight[y] * line;
    }
  }
  return near;
}

double LocalSpacing::Near::spacing(double cell) const {
  return cell * std::cbrt(volume / std::max(count, 1e-3));
}

double LocalSpacing::at(Vec3d point) const {
  Near last{0, 1};
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const Near here = near(levels_[l], point);
    const double spacing = here.spacing(levels_[l].cell);
    if (here.count >= enough) {
      if (l == 0 || last.count <= 0) return std::min(spacing, longest_);
      const double below = last.spacing(levels_[l - 1].cell);
      const double share = std::clamp(std::log(enough / last.count) / std::log(here.count / last.count), 0.0, 1.0);
      return std::min(below * std::pow(spacing / below, share), longest_);
    }
    last = here;
  }
  return std::min(longest_, Near{std::max(last.count, 1.0), last.volume}.spacing(levels_.back().cell));
}

}  // namespace multiwalk
