// SPDX-License-Identifier: GPL-3.0-or-later
// One suite for every force back end: the same walks evaluated in double precision are the truth.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "host/exact/reference_backend.hpp"
#include "host/force/simd_backend.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::test {

/// A tree and a batch of arbitrary walks over it: lists need not make sense to be evaluated.
struct RandomWalks {
  ParticleStore store;
  Octree tree;
  std::vector<Walk> walks;
  std::vector<std::uint32_t> cells;
  std::vector<ParticleRange> ranges;
};

inline RandomWalks random_walks(std::size_t particles, std::uint32_t group_size, std::uint64_t seed) {
  RandomWalks r;
  r.store = plummer(particles, seed);
  const Cube cube = enclosing_cube(bounding_box(r.store.position));
  sort_by_key(r.store, cube);
  r.tree = build_octree(r.store, cube, {8});
  std::mt19937_64 engine(seed);
  const auto n = static_cast<std::uint32_t>(particles);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(engine() % limit); };
  for (std::uint32_t first = 0; first < n; first += group_size) {
    Walk walk{r.store.position[first],
              first,
              std::min(group_size, n - first),
              static_cast<std::uint32_t>(r.cells.size()),
              below(150),
              static_cast<std::uint32_t>(r.ranges.size()),
              below(40),
              0,
              0};
    for (std::uint32_t c = 0; c < walk.cell_count; ++c) {
      r.cells.push_back(below(static_cast<std::uint32_t>(r.tree.size())));
    }
    for (std::uint32_t k = 0; k < walk.range_count; ++k) {
      const std::uint32_t begin = below(n);
      r.ranges.push_back({begin, std::min(1 + below(30), n - begin)});
      walk.source_count += r.ranges.back().count;
    }
    r.walks.push_back(walk);
  }
  return r;
}

/// Submits the walks in batches of `per_batch` on `lanes` lanes.
inline void evaluate(ForceBackend& backend, const RandomWalks& r, const PairLaw& law, TargetView targets, int lanes,
                     std::size_t per_batch) {
  backend.begin(law, r.tree.view(), targets, lanes);
  int lane = 0;
  for (std::size_t w = 0; w < r.walks.size(); w += per_batch) {
    WalkBatch& batch = backend.open(lane);
    for (std::size_t k = w; k < std::min(w + per_batch, r.walks.size()); ++k) {
      Walk walk = r.walks[k];
      const auto cells = r.cells.begin() + walk.cell_first;
      const auto ranges = r.ranges.begin() + walk.range_first;
      walk.cell_first = static_cast<std::uint32_t>(batch.cells.size());
      walk.range_first = static_cast<std::uint32_t>(batch.ranges.size());
      batch.cells.insert(batch.cells.end(), cells, cells + walk.cell_count);
      batch.ranges.insert(batch.ranges.end(), ranges, ranges + walk.range_count);
      batch.walks.push_back(walk);
    }
    backend.submit(lane);
    lane = (lane + 1) % lanes;
  }
  backend.collect();
}

struct Forces {
  std::vector<Vec3f> acceleration;
  std::vector<float> potential;
  explicit Forces(std::size_t n) : acceleration(n), potential(n) {}
  TargetView view(const ParticleStore& store) { return {store.position, store.mass, acceleration, potential}; }
};

/// Sums of the magnitudes of the terms on one walk's target: what rounding errors are measured against.
struct Magnitudes {
  double acceleration = 0, potential = 0;
};

inline Magnitudes sum_of_magnitudes(const RandomWalks& r, const Walk& walk, Vec3d x, double softening) {
  Magnitudes sum;
  const auto add = [&](Vec3d source, double mass, double spread) {
    const double r2 = norm2(source - x);
    if (r2 == 0) return;
    const double inverse2 = 1 / (r2 + softening * softening);
    const double inverse = std::sqrt(inverse2);
    sum.acceleration += mass * std::sqrt(r2) * inverse2 * inverse + 12 * spread * inverse2 * inverse2;
    sum.potential += mass * inverse + 2 * spread * inverse2 * inverse;
  };
  for (std::uint32_t c = walk.cell_first; c < walk.cell_first + walk.cell_count; ++c) {
    const Multipole m = r.tree.view().multipole[r.cells[c]];
    add(m.centre_of_mass, static_cast<double>(m.mass), static_cast<double>(m.xx + m.yy + m.zz));
  }
  for (std::uint32_t k = walk.range_first; k < walk.range_first + walk.range_count; ++k) {
    for (std::uint32_t j = r.ranges[k].first; j < r.ranges[k].first + r.ranges[k].count; ++j) {
      add(r.store.position[j], static_cast<double>(r.store.mass[j]), 0);
    }
  }
  return sum;
}

/// Every target agrees with the double-precision back end to `tolerance` of the sum of magnitudes.
inline void expect_agreement(ForceBackend& backend, const RandomWalks& r, const PairLaw& law, int lanes,
                             std::size_t per_batch, double tolerance) {
  Forces exact(r.store.size()), fast(r.store.size());
  const auto reference = make_reference_backend(false);
  evaluate(*reference, r, law, exact.view(r.store), 1, 1);
  evaluate(backend, r, law, fast.view(r.store), lanes, per_batch);
  double worst = 0;
  for (const Walk& walk : r.walks) {
    for (std::uint32_t i = walk.target_first; i < walk.target_first + walk.target_count; ++i) {
      const Magnitudes scale = sum_of_magnitudes(r, walk, r.store.position[i], law.softening);
      const double g = law.gravitational_constant;
      const double difference = norm(Vec3d(fast.acceleration[i]) - Vec3d(exact.acceleration[i]));
      const double own = law.softening > 0 ? static_cast<double>(r.store.mass[i]) / law.softening : 0;
      ASSERT_TRUE(std::isfinite(difference) && std::isfinite(fast.potential[i]));
      if (scale.acceleration > 0) worst = larger_error(worst, difference / (g * scale.acceleration));
      ASSERT_NEAR(fast.potential[i], exact.potential[i], tolerance * g * (scale.potential + own));
    }
  }
  EXPECT_LT(worst, tolerance);
}

}  // namespace multiwalk::test
