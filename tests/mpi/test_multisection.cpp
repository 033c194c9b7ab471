// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

#include "decomposition/domains/multisection.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/base/hash.hpp"
#include "tests/mpi/world.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

/// This rank's share of a model: the particles whose hashes with `salt` say so.
ParticleStore share(const ParticleStore& all, std::uint64_t salt) {
  const auto ranks = static_cast<std::uint64_t>(world().size()), rank = static_cast<std::uint64_t>(world().rank());
  return test::kept(all, [&](std::uint32_t i) { return mix_bits(all.id[i] + salt) % ranks == rank; });
}

/// Work as a tree's: more in the dense middle.
void give_work(ParticleStore& particles, double contrast) {
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const double r2 = norm2(particles.position[i]);
    particles.work[i] = static_cast<float>(300 + 300 * contrast / (1 + 20 * r2));
  }
}

DomainMap cut(const ParticleStore& particles, int boxes, const MultisectionOptions& options = {},
              const DomainMap* former = nullptr) {
  return multisection(world(), boxes, particles.position, particles.work, options, former);
}

struct Balance {
  double number = 0, work = 0;  ///< most of a box / mean
  std::uint64_t most = 0;
};

/// Counted from all of the model, on every rank alike.
Balance balance_of(const ParticleStore& all, const DomainMap& map) {
  const auto boxes = static_cast<std::size_t>(map.ranks());
  std::vector<std::uint64_t> number(boxes, 0);
  std::vector<double> work(boxes, 0);
  double total = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto rank = static_cast<std::size_t>(map.rank_of(all.position[i]));
    ++number[rank];
    work[rank] += static_cast<double>(all.work[i]);
    total += static_cast<double>(all.work[i]);
  }
  const std::uint64_t most = *std::ranges::max_element(number);
  const double mean = static_cast<double>(all.size()) / static_cast<double>(boxes);
  return {static_cast<double>(most) / mean,
          total > 0 ? *std::ranges::max_element(work) * static_cast<double>(boxes) / total : 1, most};
}

void expect_same(const DomainMap& a, const DomainMap& b) {
  EXPECT_EQ(a.grid, b.grid);
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.z, b.z);
}

const std::vector<int> box_counts{1, 3, 8, 60};

TEST(Multisection, BalancesNumbers) {
  for (const ParticleStore& all : {test::uniform_cube(20000), test::plummer(20000)}) {
    const ParticleStore mine = share(all, 0);
    for (const int boxes : box_counts) {
      const DomainMap map = cut(mine, boxes);
      ASSERT_TRUE(map.consistent());
      ASSERT_EQ(map.ranks(), boxes);
      EXPECT_LT(balance_of(all, map).number, 1.01) << boxes;
    }
  }
}

TEST(Multisection, BalancesWork) {
  MultisectionOptions options;
  options.max_memory_imbalance = 100;
  ParticleStore all = test::plummer(20000);
  give_work(all, 20);
  const ParticleStore mine = share(all, 0);
  for (const int boxes : box_counts) {
    const Balance balance = balance_of(all, cut(mine, boxes, options));
    EXPECT_LT(balance.work, 1.02) << boxes;
    if (boxes == 60) {
      EXPECT_GT(balance.number, 2);
    }
  }
}

TEST(Multisection, KeepsTheMemoryLimit) {
  ParticleStore all = test::plummer(20000);
  give_work(all, 20);
  const ParticleStore mine = share(all, 0);
  for (const int boxes : box_counts) {
    double work = 1e9;
    for (const double limit : {1.05, 1.3, 2.0}) {
      MultisectionOptions options;
      options.max_memory_imbalance = limit;
      const Balance balance = balance_of(all, cut(mine, boxes, options));
      EXPECT_LE(balance.number, limit) << boxes;
      if (boxes > 1) {
        EXPECT_LT(balance.work, work * (limit == 1.3 && boxes == 60 ? 0.95 : 1.01))
            << "a looser limit balances better, " << boxes;
      }
      work = balance.work;
    }
  }
}

TEST(Multisection, StandsHugeContrastsOfWork) {
  ParticleStore all = test::uniform_cube(20000);
  for (std::size_t i = 0; i < all.size(); ++i) all.work[i] = i % 1000 == 0 ? 1e30F : i % 3 == 0 ? 0.0F : 1e-3F;
  const ParticleStore mine = share(all, 0);
  MultisectionOptions options;
  for (const int boxes : box_counts) EXPECT_LE(balance_of(all, cut(mine, boxes, options)).number, 1.301) << boxes;
  options.max_memory_imbalance = 1e9;
  EXPECT_LT(balance_of(all, cut(mine, 5, options)).work, 1.01);
}

TEST(Multisection, DoesNotDependOnTheDistribution) {
  ParticleStore all = test::plummer(20000);
  give_work(all, 5);
  for (const int boxes : box_counts) {
    const DomainMap map = multisection({}, boxes, all.position, all.work, {}, nullptr);
    expect_same(cut(share(all, 0), boxes), map);
    expect_same(cut(share(all, 12345), boxes), map);
    const ParticleStore none;
    expect_same(cut(world().root() ? all : none, boxes), map);
  }
}

TEST(Multisection, ASampleDoesNearlyAsWell) {
  ParticleStore all = test::plummer(20000);
  give_work(all, 5);
  MultisectionOptions options;
  options.sample = 2000 / static_cast<std::uint64_t>(world().size());
  options.max_memory_imbalance = 3;
  const Balance balance = balance_of(all, cut(share(all, 0), 8, options));
  EXPECT_LT(balance.work, 1.15);
  EXPECT_GT(balance.work, 1.0001) << "as good as all particles";
}

/// One, two, three, ... parts of the particles along x: ranks sample as many each, so that a sample of the fullest
/// stands for the most.
ParticleStore unequal_share(const ParticleStore& all) {
  const auto parts = static_cast<double>(world().size() * (world().size() + 1)) / 2;
  double before = 0;
  for (int rank = 0; rank < world().rank(); ++rank) before += rank + 1;
  const double after = before + world().rank() + 1, n = static_cast<double>(all.size());
  std::vector<std::pair<double, std::uint32_t>> order;
  for (std::uint32_t i = 0; i < all.size(); ++i) order.emplace_back(all.position[i].x, i);
  std::ranges::sort(order);
  std::vector<char> mine(all.size(), 0);
  for (auto k = static_cast<std::size_t>(n * before / parts); k < static_cast<std::size_t>(n * after / parts); ++k)
    mine[order[k].second] = 1;
  return test::kept(all, [&](std::uint32_t i) { return mine[i] != 0; });
}

TEST(Multisection, SamplesOfFullRanksCountForMore) {
  ParticleStore all = test::plummer(40000);
  give_work(all, 5);
  MultisectionOptions options;
  options.sample = 4000 / static_cast<std::uint64_t>(world().size());
  options.max_memory_imbalance = 3;
  const Balance by_work = balance_of(all, cut(unequal_share(all), 8, options));
  for (float& work : all.work) work = 0;
  const Balance by_number = balance_of(all, cut(unequal_share(all), 8, options));
  if (world().root()) std::printf("samples of unequal ranks: work %.3f, number %.3f\n", by_work.work, by_number.number);
  EXPECT_LT(by_work.work, 1.15);
  EXPECT_LT(by_number.number, 1.15);
}

/// Of five particles in pairs but one, every second is a sample; the last stands for itself alone.
TEST(Multisection, TheLastSampleStandsForWhatIsLeft) {
  std::vector<Vec3d> position;
  std::vector<float> work;
  if (world().root()) position = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {2, 0, 0}}, work = {1, 1, 1, 1, 1.5F};
  MultisectionOptions options;
  options.grid = {2, 1, 1};
  options.sample = 4;
  options.max_memory_imbalance = 3;
  const DomainMap map = multisection(world(), 2, position, work, options, nullptr);
  EXPECT_GT(map.x.at(0), 0);
  EXPECT_LE(map.x.at(0), 1);  // 2 : 3.5; were the last two, 4 : 3 would be better than 2 : 5
}

TEST(Multisection, StandsFewParticles) {
  for (const std::size_t n : {0U, 1U, 7U, 30U}) {
    const ParticleStore all = test::uniform_cube(n);
    for (const int boxes : box_counts) {
      const DomainMap map = cut(share(all, 0), boxes);
      ASSERT_TRUE(map.consistent());
      ASSERT_EQ(map.ranks(), boxes);
      if (n == 0) continue;
      const auto floats = static_cast<double>(n);
      EXPECT_LE(static_cast<double>(balance_of(all, map).most), std::max(std::ceil(floats / boxes) + 2, 1.0))
          << n << " in " << boxes;
    }
  }
}

TEST(Multisection, StandsFlatAndCoincidentModels) {
  for (const Vec3d extent : {Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{0, 0, 3}, Vec3d{2, 0, 1}, Vec3d{1e4, 1, 1e-4}}) {
    for (const Vec3d centre : {Vec3d{0, 0, 0}, Vec3d{-70, 1e9, 1}}) {
      ParticleStore all = test::uniform_cube(3000);
      for (Vec3d& p : all.position) p = centre + Vec3d{extent.x * p.x, extent.y * p.y, extent.z * p.z};
      for (const int boxes : {5, 8}) {
        const DomainMap map = cut(share(all, 0), boxes);
        ASSERT_TRUE(map.consistent());
        const Balance balance = balance_of(all, map);
        if (norm2(extent) == 0) {
          EXPECT_EQ(balance.most, all.size());
        } else {
          EXPECT_LT(balance.number, 1.15) << boxes;
        }
      }
    }
  }
}

TEST(Multisection, CoincidentParticlesStayTogether) {
  ParticleStore all = test::uniform_cube(3000);
  for (std::size_t i = 0; i < 2000; ++i) all.position[i] = {0.3, 0.3, 0.3};
  const Balance balance = balance_of(all, cut(share(all, 0), 8));
  EXPECT_GE(balance.most, 2000U);
  EXPECT_LT(balance.most, 2200U);
}

TEST(Multisection, FindsATightClusterFarFromAnOutlier) {
  ParticleStore all = test::plummer(5000);
  for (Vec3d& p : all.position) p = 1e-3 * p + Vec3d{1, 1, 1};
  all.position[0] = {1e9, -1e9, 1e9};
  EXPECT_LT(balance_of(all, cut(share(all, 0), 8)).number, 1.02);
}

TEST(Multisection, ParticlesOnBothSidesOfACutHaveTwoOwners) {
  ParticleStore all = test::plummer(5000);
  const DomainMap map = cut(share(all, 0), 12);
  for (int rank = 0; rank < map.ranks(); ++rank) {
    const Box box = map.box(rank);
    Vec3d inside;
    for (int axis = 0; axis < 3; ++axis) {
      inside[axis] = std::isfinite(box.lo[axis]) ? box.lo[axis] : box.hi[axis] - 1;
      if (std::isinf(box.lo[axis]) && std::isinf(box.hi[axis])) inside[axis] = 0;
    }
    EXPECT_EQ(map.rank_of(inside), rank);
    for (int axis = 0; axis < 3; ++axis) {
      if (std::isinf(box.lo[axis])) continue;
      Vec3d below = inside;
      below[axis] = std::nextafter(below[axis], -INFINITY);
      EXPECT_NE(map.rank_of(below), rank);
    }
  }
}

TEST(Multisection, SmoothsTowardsNearCuts) {
  const ParticleStore all = test::uniform_cube(40000);
  const ParticleStore mine = share(all, 0);
  MultisectionOptions options;
  const DomainMap exact = cut(mine, 8);
  DomainMap former = exact;
  for (double& c : former.x) c += 0.01;
  expect_same(cut(mine, 8, options, &exact), exact);
  const DomainMap half = cut(mine, 8, options, &former);
  EXPECT_DOUBLE_EQ(half.x[0], exact.x[0] + 0.005);
  options.smoothing = 1;
  expect_same(cut(mine, 8, options, &former), exact);
}

TEST(Multisection, LeavesPoorFormerCuts) {
  const ParticleStore all = test::uniform_cube(40000);
  const ParticleStore mine = share(all, 0);
  const DomainMap exact = cut(mine, 8);
  DomainMap former = exact;
  for (double& c : former.y) c += 0.2;
  expect_same(cut(mine, 8, {}, &former), exact);
  const DomainMap other = cut(mine, 6);
  expect_same(cut(mine, 8, {}, &other), exact);
}

TEST(Multisection, KeepsTheFormerGrid) {
  const ParticleStore mine = share(test::uniform_cube(5000), 0);
  MultisectionOptions options;
  options.grid = {1, 1, 8};
  const DomainMap former = cut(mine, 8, options);
  EXPECT_EQ(former.grid, options.grid);
  EXPECT_EQ(cut(mine, 8, {}, &former).grid, options.grid);
  options.grid = {4, 2, 1};
  EXPECT_EQ(cut(mine, 8, options, &former).grid, options.grid);
}

TEST(Multisection, RefusesAGridOfAnotherProduct) {
  const ParticleStore mine = share(test::uniform_cube(100), 0);
  MultisectionOptions options;
  for (const DomainGrid grid : {DomainGrid{2, 2, 1}, DomainGrid{-2, -4, 1}, DomainGrid{0, 8, 1},
                                DomainGrid{2000000000, 2000000000, 2000000000}}) {
    options.grid = grid;
    EXPECT_THROW(cut(mine, 8, options), SharedError);
  }
}

TEST(Multisection, LeavesOutWhatIsNotFinite) {
  ParticleStore all = test::uniform_cube(3000);
  const DomainMap map = multisection({}, 8, all.position, all.work, {}, nullptr);
  const std::size_t n = all.size();
  all.resize(n + 3);
  all.position[n] = {std::nan(""), 0, 0};
  all.position[n + 1] = {0, INFINITY, 0};
  all.position[n + 2] = {0, 0, -INFINITY};
  for (std::size_t i = n; i < all.size(); ++i) all.id[i] = i;
  expect_same(cut(share(all, 0), 8), map);
}

TEST(Multisection, CutsForManyRanks) {
  ParticleStore all = test::plummer(40000);
  const ParticleStore mine = share(all, 0);
  for (const int boxes : {1021, 32768}) {
    const DomainMap map = cut(mine, boxes);
    ASSERT_TRUE(map.consistent());
    EXPECT_LE(static_cast<double>(balance_of(all, map).most), std::ceil(40000.0 / boxes) + 4) << boxes;
  }
}

}  // namespace
}  // namespace multiwalk
