// SPDX-License-Identifier: GPL-3.0-or-later
// Short-range forces of a periodic box over ranks: those of one rank, whichever faces the clusters straddle, and
// nothing sent to whom it does not concern. Errors and differences are in units of the rms pull.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "analysis/forces/force_error.hpp"
#include "decomposition/domains/domains.hpp"
#include "decomposition/essential_trees/essential_trees.hpp"
#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/mpi/shared_models.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/periodic_models.hpp"
#include "tests/support/short_range_sum.hpp"

namespace multiwalk {
namespace {

using test::share_of;

using enum MultipoleOrder;
constexpr double wide = 1.0 / 40, narrow = 1.0 / 200;

PairLaw law_of(MultipoleOrder order, double scale) {
  return {1, 0.001, order, 1, {scale, 5 * scale}};
}

enum class Places { uniform, clusters, slab, rod };

/// In a slab all lie in one quarter of the box, across its face; in a rod, thin and away from the faces.
ParticleStore make(Places places, std::size_t n) {
  if (places == Places::uniform) return test::uniform_cube(n);
  ParticleStore all = places == Places::rod ? test::uniform_cube(n) : test::clusters_at_faces(n);
  if (places == Places::rod) {
    for (Vec3d& p : all.position) p = {0.3 + 0.3 * p.x, 0.005 * p.y, 0.5 + 0.005 * p.z};
  }
  if (places == Places::slab) {
    for (Vec3d& p : all.position) p.x = p.x < 0.5 ? 0.125 * p.x : 1 - 0.125 * (1 - p.x);
  }
  return all;
}

struct PeriodicEvaluation {
  ParticleStore particles;
  EssentialStatistics trees;
};

PeriodicEvaluation evaluate_periodic(const ParticleStore& all, const GravityOptions& options, const PairLaw& law,
                                     int far_from) {
  PeriodicEvaluation result;
  result.particles = share_of(all);
  Domains domains(world(), {});
  domains.distribute(result.particles);
  EssentialTrees remote(world(), far_from);
  const auto backend = make_simd_backend();
  GravitySolver(options, *backend, 1).accelerate(result.particles, law, {.remote = &remote});
  result.trees = remote.statistics();
  return result;
}

/// Of one rank's forces, of this many ranks', and what is between both.
struct Comparison {
  ErrorPercentiles one, many, apart;
  double potential = 0;  ///< largest difference in units of the rms potential
};

Comparison compare(const ParticleStore& mine, const ParticleStore& alone, const PairLaw& law) {
  std::vector<std::uint32_t> place(alone.size());
  double square = 0, potential_square = 0;
  for (std::uint32_t i = 0; i < alone.size(); ++i) {
    place[alone.id[i]] = i;
    square += norm2(Vec3d(alone.acceleration[i])) / static_cast<double>(alone.size());
    potential_square += std::pow(static_cast<double>(alone.potential[i]), 2) / static_cast<double>(alone.size());
  }
  const double rms = std::sqrt(square);
  std::vector<double> one, many, apart;
  double potential = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (mine.id[i] % 8 != 0) continue;
    const ForceSum<double> sum = test::short_range_sum(alone.position, alone.mass, mine.position[i], law);
    const Vec3d exact{sum.x, sum.y, sum.z};
    const std::uint32_t same = place[mine.id[i]];
    one.push_back(norm(Vec3d(alone.acceleration[same]) - exact) / rms);
    many.push_back(norm(Vec3d(mine.acceleration[i]) - exact) / rms);
    apart.push_back(norm(Vec3d(mine.acceleration[i]) - Vec3d(alone.acceleration[same])) / rms);
    potential = std::max(potential, std::fabs(static_cast<double>(mine.potential[i] - alone.potential[same])));
  }
  return {percentiles(std::move(one), world()), percentiles(std::move(many), world()),
          percentiles(std::move(apart), world()), world().max(potential) / std::sqrt(potential_square)};
}

struct PeriodicCase {
  const char* name;
  Places places;
  std::size_t particles;
  Mac mac;
  MultipoleOrder order;
  int far_from;
  double scale;
};

class PeriodicTrees : public testing::TestWithParam<PeriodicCase> {};

TEST_P(PeriodicTrees, AreAsGoodAsOneRanks) {
  const PeriodicCase& c = GetParam();
  ParticleStore all = make(c.places, c.particles);
  const PairLaw law = law_of(c.order, c.scale);
  GravityOptions options{c.mac, 0.6, 0.005, c.order, 27, 8};
  const auto backend = make_simd_backend();
  if (c.mac == Mac::relative) {
    GravityOptions start = options;
    start.mac = Mac::barnes90;
    GravitySolver(start, *backend, 1).accelerate(all, law);
    all.work.assign(all.size(), 0);
  }
  ParticleStore alone = all;
  GravitySolver(options, *backend, 1).accelerate(alone, law);
  const PeriodicEvaluation many = evaluate_periodic(all, options, law, c.far_from);
  const Comparison errors = compare(many.particles, alone, law);
  // Groups and leaves that a domain's face cuts are others than one rank's, and as good.
  EXPECT_LE(errors.many.median, 1.1 * errors.one.median + 1e-5);
  EXPECT_LE(errors.many.p99, 1.2 * errors.one.p99 + 1e-5);
  EXPECT_LE(errors.apart.median, 0.5 * errors.one.median + 1e-5);
  EXPECT_LE(errors.apart.p99, errors.one.p99 + 1e-5);
  EXPECT_GT(errors.one.p99, 3e-7);
  EXPECT_LE(errors.potential, 2e-2);
}

INSTANTIATE_TEST_SUITE_P(
    Boxes, PeriodicTrees,
    testing::Values(PeriodicCase{"UniformMonopole", Places::uniform, 12000, Mac::barnes90, monopole, 64, wide},
                    PeriodicCase{"UniformQuadrupole", Places::uniform, 12000, Mac::barnes90, quadrupole, 64, wide},
                    PeriodicCase{"ClustersBh86", Places::clusters, 6000, Mac::bh86, quadrupole, 64, wide},
                    PeriodicCase{"ClustersQuadrupole", Places::clusters, 6000, Mac::barnes90, quadrupole, 64, wide},
                    PeriodicCase{"ClustersOffset", Places::clusters, 6000, Mac::offset, quadrupole, 64, wide},
                    PeriodicCase{"ClustersRelative", Places::clusters, 6000, Mac::relative, quadrupole, 0, wide},
                    PeriodicCase{"NarrowFar", Places::clusters, 12000, Mac::barnes90, quadrupole, 0, narrow},
                    PeriodicCase{"NarrowRelative", Places::clusters, 6000, Mac::relative, monopole, 0, narrow},
                    PeriodicCase{"SlabQuadrupole", Places::slab, 6000, Mac::barnes90, quadrupole, 64, wide},
                    PeriodicCase{"SlabRelative", Places::slab, 6000, Mac::relative, quadrupole, 64, wide},
                    PeriodicCase{"RodFar", Places::rod, 6000, Mac::barnes90, quadrupole, 0, wide},
                    PeriodicCase{"RodFarRelative", Places::rod, 6000, Mac::relative, quadrupole, 0, wide}),
    [](const auto& param) { return std::string(param.param.name); });

/// Along a rod some ranks are far enough for single cells, in a narrow law some beyond reach.
TEST(PeriodicTreesOnSevenRanks, SomeAreFarAndSomeBeyondReach) {
  if (world().size() != 7) GTEST_SKIP() << "for seven ranks";
  const GravityOptions options{Mac::barnes90, 0.6, 0.005, quadrupole, 27, 8};
  const auto trees = [&](Places places, std::size_t particles, double scale) {
    return evaluate_periodic(make(places, particles), options, law_of(quadrupole, scale), 0).trees;
  };
  EXPECT_GT(world().sum(trees(Places::rod, 6000, wide).ranks_far), 0);
  EXPECT_GT(world().sum(trees(Places::clusters, 12000, narrow).ranks_beyond), 0);
}

/// All pairs across faces of the box and of domains: to rounding.
TEST(PeriodicTrees, FewAndCoincidentParticles) {
  std::vector<std::vector<Vec3d>> sets{{}, {{0, 0, 0}}, {{0, 0, 0}, {0.99, 0.98, 0.01}}};
  sets.emplace_back(100, Vec3d{0.999, 0, 0.5});
  sets.push_back({{0.01, 0.5, 0.5}, {0.99, 0.5, 0.5}, {0.5, 0.01, 0.01}, {0.5, 0.99, 0.99}, {0.3, 0.3, 0.3}});
  for (int i = 0; i < 64; ++i) sets.back().push_back({0.25 * (i % 4), 0.25 * (i / 4 % 4), 0.25 * (i / 16) + 1e-3 * i});
  const PairLaw law = law_of(quadrupole, wide);
  const GravityOptions options{Mac::barnes90, 0.01, 0.005, quadrupole, 27, 8};
  for (const std::vector<Vec3d>& places : sets) {
    const ParticleStore all = test::store_at(places);
    const PeriodicEvaluation e = evaluate_periodic(all, options, law, 64);
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < e.particles.size(); ++i) {
      const ForceSum<double> sum = test::short_range_sum(all.position, all.mass, e.particles.position[i], law);
      const double own = static_cast<double>(e.particles.mass[i]) * own_depth(law);
      worst = larger_error(worst, norm(Vec3d(e.particles.acceleration[i]) - Vec3d{sum.x, sum.y, sum.z}));
      worst = larger_error(worst, std::fabs(static_cast<double>(e.particles.potential[i]) + sum.potential - own));
      largest = std::max(largest, std::fabs(sum.potential));
    }
    // Remote particles keep single precision within their leaf, which can be the box.
    EXPECT_LE(world().max(worst), 1e-5 * world().max(largest)) << places.size();
  }
}

}  // namespace
}  // namespace multiwalk
