// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/pictures/body_trails.hpp"

#include <algorithm>

namespace multiwalk {

namespace {

constexpr double fineness = 1e-3;  ///< distance of kept points over the diagonal of the space crossed

}  // namespace

void BodyTrails::Path::keep(Vec3d point) {
  if (ring.size() < most_points) {
    ring.push_back(point);
    return;
  }
  ring[oldest] = point;
  oldest = (oldest + 1) % most_points;
}

void BodyTrails::add(std::span<const Vec3d> position, std::span<const std::uint64_t> id) {
  for (const Vec3d& x : position) crossed_.include(x);
  const double least2 = fineness * fineness * norm2(crossed_.hi - crossed_.lo);
  for (std::size_t i = 0; i < position.size(); ++i) {
    const auto place = std::ranges::lower_bound(paths_, id[i], {}, &Path::id);
    if (place == paths_.end() || place->id != id[i]) {
      paths_.insert(place, {id[i], position[i], {position[i]}});
      continue;
    }
    place->now = position[i];
    if (norm2(position[i] - place->newest()) > least2) place->keep(position[i]);
  }
}

std::vector<Trail> BodyTrails::gather(const Communicator& comm) const {
  std::vector<std::uint64_t> ids, counts;
  std::vector<Vec3d> points;
  for (const Path& path : paths_) {
    for (std::size_t i = 0; i < path.ring.size(); ++i) {
      points.push_back(path.ring[(path.oldest + i) % path.ring.size()]);
    }
    points.push_back(path.now);
    ids.push_back(path.id);
    counts.push_back(path.ring.size() + 1);
  }
  ids = comm.gather(std::span<const std::uint64_t>(ids));
  counts = comm.gather(std::span<const std::uint64_t>(counts));
  points = comm.gather(std::span<const Vec3d>(points));
  std::vector<Trail> trails;
  auto next = points.begin();
  for (std::size_t t = 0; t < ids.size(); ++t) {
    const auto end = next + static_cast<std::ptrdiff_t>(counts[t]);
    trails.push_back({ids[t], {next, end}});
    next = end;
  }
  std::ranges::stable_sort(trails, {}, &Trail::id);
  return trails;
}

}  // namespace multiwalk
