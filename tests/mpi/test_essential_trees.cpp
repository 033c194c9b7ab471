// SPDX-License-Identifier: GPL-3.0-or-later
// Forces over ranks: as accurate as one rank's, complete across every cut, repeatable, and with no more sent than
// needed.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/forces/force_error.hpp"
#include "decomposition/domains/domains.hpp"
#include "decomposition/essential_trees/essential_trees.hpp"
#include "host/exact/direct_sum.hpp"
#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/mpi/shared_models.hpp"
#include "tests/support/growing_backend.hpp"
#include "tests/support/larger_error.hpp"

namespace multiwalk {
namespace {

using test::in_order_of_ids;
using test::Model;
using test::share_of;

/// Groups of 18 on average: those that a domain's face cuts then count little.
GravityOptions options_of(Mac mac, MultipoleOrder order) {
  return {mac, 0.6, 0.005, order, 27, 8};
}

struct Evaluation {
  ParticleStore particles;
  EssentialStatistics trees;
  ForceStatistics forces;
};

/// Distributes and evaluates; far_from: see EssentialTrees.
Evaluation evaluate(const ParticleStore& all, const GravityOptions& options, const PairLaw& law, ForceBackend& backend,
                    int far_from = 64, const MultisectionOptions& sections = {}) {
  Evaluation result;
  result.particles = share_of(all);
  Domains domains(world(), sections);
  domains.distribute(result.particles);
  EssentialTrees remote(world(), far_from);
  GravitySolver solver(options, backend, 1);
  result.forces = solver.accelerate(result.particles, law, {.remote = &remote});
  result.trees = remote.statistics();
  return result;
}
Evaluation evaluate(const ParticleStore& all, const GravityOptions& options, const PairLaw& law, int far_from = 64,
                    const MultisectionOptions& sections = {}) {
  return evaluate(all, options, law, *make_simd_backend(), far_from, sections);
}

/// Percentiles over all ranks of every other particle's error against the sum over `all`.
ErrorPercentiles errors_of(const ParticleStore& mine, const ParticleStore& all, const PairLaw& law) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (mine.id[i] % 2 != 0) continue;
    const ForceSum<double> s = direct_sum(all.position, all.mass, mine.position[i], law.softening);
    const Vec3d exact = law.gravitational_constant * Vec3d{s.x, s.y, s.z};
    errors.push_back(norm(Vec3d(mine.acceleration[i]) - exact) / norm(exact));
  }
  std::vector<double> gathered = world().gather(std::span<const double>(errors));
  std::vector<ErrorPercentiles> result{percentiles(std::move(gathered))};
  world().broadcast(std::span(result));
  return result[0];
}

struct Case {
  const char* name;
  Model model;
  Mac mac;
  MultipoleOrder order;
  int far_from;
  int expansion = 0;
};

class EssentialTreeForces : public testing::TestWithParam<Case> {};

TEST_P(EssentialTreeForces, AreAsGoodAsOneRanks) {
  const Case& c = GetParam();
  ParticleStore all = test::make(c.model, 8000, 24);
  GravityOptions options = options_of(c.mac, c.order);
  options.expansion = c.expansion;
  const PairLaw law{1, c.model == Model::lcdm ? 0.05 : 0.01, c.order};
  const auto backend = make_simd_backend();
  if (c.mac == Mac::relative) {
    GravitySolver(options_of(Mac::barnes90, c.order), *backend, 1).accelerate(all, law);
    all.work.assign(all.size(), 0);
  }
  ParticleStore alone = all;
  GravitySolver(options, *backend, 1).accelerate(alone, law);
  const ErrorPercentiles one = errors_of(share_of(alone), all, law);
  const Evaluation many = evaluate(all, options, law, c.far_from);
  const ErrorPercentiles errors = errors_of(many.particles, all, law);
  EXPECT_LE(errors.median, 1.1 * one.median);
  EXPECT_LE(errors.p99, 1.1 * one.p99);
  EXPECT_GT(errors.median, 1e-6);
  EXPECT_GT(one.sample, 1000U);
  EXPECT_EQ(world().sum(many.forces.raw.expansions) > 0, c.expansion > 0);
  if (c.model == Model::rod && c.far_from == 0 && world().size() > 5) {
    EXPECT_GT(world().sum(many.trees.ranks_far), 0U);
  }
}

using enum MultipoleOrder;
INSTANTIATE_TEST_SUITE_P(Models, EssentialTreeForces,
                         testing::Values(Case{"PlummerBh86Monopole", Model::plummer, Mac::bh86, monopole, 64},
                                         Case{"PlummerMonopole", Model::plummer, Mac::barnes90, monopole, 64},
                                         Case{"PlummerQuadrupole", Model::plummer, Mac::barnes90, quadrupole, 64},
                                         Case{"PlummerOffset", Model::plummer, Mac::offset, quadrupole, 64},
                                         Case{"PlummerRelative", Model::plummer, Mac::relative, quadrupole, 64},
                                         Case{"PlummerRelativeMonopole", Model::plummer, Mac::relative, monopole, 64},
                                         Case{"RodFarQuadrupole", Model::rod, Mac::barnes90, quadrupole, 0},
                                         Case{"RodFarRelative", Model::rod, Mac::relative, quadrupole, 0},
                                         Case{"LcdmMonopole", Model::lcdm, Mac::barnes90, monopole, 64},
                                         Case{"LcdmQuadrupole", Model::lcdm, Mac::barnes90, quadrupole, 64},
                                         Case{"LcdmRelative", Model::lcdm, Mac::relative, quadrupole, 64},
                                         Case{"PlummerExpanded", Model::plummer, Mac::barnes90, quadrupole, 64, 5},
                                         Case{"PlummerRelativeExpanded", Model::plummer, Mac::relative, quadrupole, 64,
                                              5},
                                         Case{"RodFarExpanded", Model::rod, Mac::relative, quadrupole, 0, 4},
                                         Case{"LcdmRelativeExpanded", Model::lcdm, Mac::relative, quadrupole, 64, 6}),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(EssentialTrees, RepeatBitForBit) {
  const ParticleStore all = test::plummer(5000);
  const GravityOptions options = options_of(Mac::barnes90, quadrupole);
  const PairLaw law{1, 0.01, quadrupole};
  const Evaluation first = evaluate(all, options, law);
  const Evaluation second = evaluate(all, options, law);
  EXPECT_EQ(first.particles.id, second.particles.id);
  EXPECT_EQ(first.particles.acceleration, second.particles.acceleration);
  EXPECT_EQ(first.particles.potential, second.particles.potential);
  EXPECT_EQ(first.particles.work, second.particles.work);
}

class GrownEssentialTrees : public testing::TestWithParam<Mac> {};

TEST_P(GrownEssentialTrees, AreTheHosts) {
  ParticleStore all = test::plummer(5000);
  for (std::size_t i = 0; i < all.size(); ++i) all.acceleration[i] = -1.0F * Vec3f(all.position[i]);
  const GravityOptions options = options_of(GetParam(), quadrupole);
  const PairLaw law{1, 0.01, quadrupole};
  test::GrowingBackend growing;
  for (const int far_from : {0, 64}) {
    const Evaluation host = evaluate(all, options, law, far_from);
    const Evaluation grown = evaluate(all, options, law, growing, far_from);
    EXPECT_TRUE(host.particles.size() == 0 || growing.grown > 0);
    EXPECT_EQ(grown.forces.raw.total(), host.forces.raw.total());
    EXPECT_TRUE(world().size() == 1 || grown.trees.cells_shared > 0);
    EXPECT_EQ(in_order_of_ids(grown.particles).acceleration, in_order_of_ids(host.particles).acceleration);
    EXPECT_EQ(in_order_of_ids(grown.particles).potential, in_order_of_ids(host.particles).potential);
  }
}

INSTANTIATE_TEST_SUITE_P(Criteria, GrownEssentialTrees, testing::Values(Mac::barnes90, Mac::offset, Mac::relative));

/// All pairs of a small set: forces against the direct sum over everything, to single precision.
double worst_error(const ParticleStore& all, const MultisectionOptions& sections = {}) {
  GravityOptions options = options_of(Mac::barnes90, quadrupole);
  options.theta = 0.01;
  const PairLaw law{1, 0.001, quadrupole};
  const Evaluation result = evaluate(all, options, law, 64, sections);
  double worst = 0;
  for (std::size_t i = 0; i < result.particles.size(); ++i) {
    const ForceSum<double> s = direct_sum(all.position, all.mass, result.particles.position[i], law.softening);
    const Vec3d exact{s.x, s.y, s.z};
    double magnitude = 0;
    for (std::size_t j = 0; j < all.size(); ++j) {
      const double r2 = norm2(all.position[j] - result.particles.position[i]) + 1e-6;
      magnitude += static_cast<double>(all.mass[j]) / r2;
    }
    worst = larger_error(worst, norm(Vec3d(result.particles.acceleration[i]) - exact) / std::max(magnitude, 1e-30));
    worst = larger_error(worst, std::fabs(static_cast<double>(result.particles.potential[i]) + s.potential -
                                          static_cast<double>(result.particles.mass[i]) / law.softening) /
                                    std::max(s.potential, 1e-30));
  }
  EXPECT_EQ(world().sum(static_cast<std::uint64_t>(result.particles.size())), all.size());
  return world().max(worst);
}

ParticleStore store_at(const std::vector<Vec3d>& places) {
  ParticleStore store;
  store.resize(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    store.position[i] = places[i];
    store.mass[i] = 1.0F + 0.1F * static_cast<float>(i % 7);
    store.id[i] = i;
  }
  return store;
}

TEST(EssentialTrees, PairsAcrossEveryCutFeelEachOther) {
  std::vector<Vec3d> places;
  ParticleStore probe = share_of(test::uniform_cube(4000));
  Domains domains(world(), {});
  domains.distribute(probe);
  const DomainMap& map = *domains.map();
  for (int r = 0; r < map.ranks(); ++r) {
    const Box box = map.box(r);
    for (int axis = 0; axis < 3; ++axis) {
      if (!std::isfinite(box.hi[axis])) continue;
      Vec3d middle;
      for (int other = 0; other < 3; ++other) {
        const double lo = std::max(box.lo[other], 0.0), hi = std::min(box.hi[other], 1.0);
        middle[other] = 0.5 * (lo + hi);
      }
      for (const double side : {-5e-3, 5e-3}) {
        Vec3d p = middle;
        p[axis] = box.hi[axis] + side;
        places.push_back(p);
      }
    }
  }
  if (places.empty()) places = {{0.1, 0.2, 0.3}, {0.1, 0.2, 0.3001}};
  EXPECT_LT(worst_error(store_at(places)), 1e-5);
}

TEST(EssentialTrees, FewerParticlesThanRanks) {
  EXPECT_LT(worst_error(store_at({{0, 0, 0}})), 1e-6);
  EXPECT_LT(worst_error(store_at({{0, 0, 0}, {1, 2, 3}})), 1e-6);
  EXPECT_LT(worst_error(store_at({{0, 0, 0}, {1, 2, 3}, {-1, 5, 2}})), 1e-6);
  EXPECT_EQ(worst_error(store_at({})), 0);
}

TEST(EssentialTrees, AllInOnePoint) {
  EXPECT_LT(worst_error(store_at(std::vector<Vec3d>(100, Vec3d{1, 1, 1}))), 1e-6);
}

TEST(EssentialTrees, ElongatedDomains) {
  std::vector<Vec3d> places;
  for (int i = 0; i < 400; ++i) places.push_back({100.0 * i, std::sin(7.0 * i), std::cos(5.0 * i)});
  EXPECT_LT(worst_error(store_at(places)), 1e-6);
  MultisectionOptions sections;
  sections.grid = {1, 1, world().size()};
  EXPECT_LT(worst_error(store_at(places), sections), 1e-6);
}

/// Particles and bytes sent per particle when `per_rank` are uniform in a cube.
struct Sent {
  double particles = 0, bytes = 0;
};
Sent sent_of(std::size_t per_rank, double theta) {
  const GravityOptions options{Mac::barnes90, theta, 0.005, quadrupole, 64, 16};
  const PairLaw law{1, 0.001, quadrupole};
  const auto n = per_rank * static_cast<std::size_t>(world().size());
  const Evaluation e = evaluate(test::uniform_cube(n), options, law);
  const auto all = static_cast<double>(n);
  return {static_cast<double>(world().sum(e.trees.particles_sent)) / all,
          static_cast<double>(world().sum(e.trees.bytes_sent)) / all};
}

TEST(EssentialTrees, SendASurfaceNotAVolume) {
  if (world().size() != 2) GTEST_SKIP() << "for two ranks";
  const Sent small = sent_of(15625, 0.6), large = sent_of(1000000, 0.6), wider = sent_of(15625, 0.4);
  // 64 times the particles: a quarter of a surface's share; the rest is the slowly growing far part.
  EXPECT_LT(large.particles, 0.3 * small.particles);
  EXPECT_LT(large.bytes, 0.35 * small.bytes);
  EXPECT_LT(large.particles, 0.12);
  EXPECT_GT(wider.bytes, 1.1 * small.bytes);
}

TEST(EssentialTrees, RawCountsStayNearThoseOfOneRank) {
  const ParticleStore all = test::plummer(20000);
  const GravityOptions options{Mac::barnes90, 0.6, 0.005, quadrupole, 64, 16};
  const PairLaw law{1, 0.01, quadrupole};
  ParticleStore alone = all;
  const auto backend = make_simd_backend();
  const std::uint64_t one = GravitySolver(options, *backend, 1).accelerate(alone, law).raw.total();
  const std::uint64_t many = world().sum(evaluate(all, options, law).forces.raw.total());
  EXPECT_LT(static_cast<double>(many), 1.6 * static_cast<double>(one));
  EXPECT_GT(static_cast<double>(many), 0.8 * static_cast<double>(one));
}

}  // namespace
}  // namespace multiwalk
