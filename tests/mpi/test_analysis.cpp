// SPDX-License-Identifier: GPL-3.0-or-later
// Measurements over ranks compared with those of one rank alone on the same particles.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <string>

#include "analysis/conservation/conservation.hpp"
#include "analysis/forces/force_error.hpp"
#include "analysis/forces/interaction_census.hpp"
#include "analysis/pictures/projection.hpp"
#include "analysis/sums/sampling.hpp"
#include "host/base/hash.hpp"
#include "host/exact/ewald.hpp"
#include "run/evolve/model_bodies.hpp"
#include "tests/mpi/world.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

/// How a set is dealt out to the ranks: at random, or in slabs of x with nothing for the last rank (unless alone).
enum class Deal { random, slabs };

int owner(const ParticleStore& all, std::size_t i, Deal deal) {
  if (deal == Deal::random) return static_cast<int>(mix_bits(i) % static_cast<std::uint64_t>(world().size()));
  const double place = std::clamp(0.5 + all.position[i].x, 0.0, 0.999);
  return static_cast<int>(place * std::max(world().size() - 1, 1));
}

/// Plummer sphere of unequal masses with made-up velocities, accelerations and potentials.
ParticleStore make_particles(std::size_t n) {
  ParticleStore store = test::plummer(n, 5);
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vec3d{normal(random), normal(random), normal(random)}; };
  for (std::size_t i = 0; i < n; ++i) {
    store.mass[i] *= 0.5F + static_cast<float>(i % 7);
    store.id[i] = 3 * i + 1;
    store.velocity[i] = static_cast<Vec3f>(vector());
    store.acceleration[i] = static_cast<Vec3f>(vector());
    store.potential[i] = static_cast<float>(normal(random));
  }
  return store;
}

class Analysis : public testing::TestWithParam<Deal> {
 protected:
  [[nodiscard]] ParticleStore share(const ParticleStore& all) const {
    return test::kept(all, [&](std::uint32_t i) { return owner(all, i, GetParam()) == world().rank(); });
  }
};

TEST_P(Analysis, EnergySumsAreThoseOfOneRank) {
  ParticleSystem all, mine;
  all.particles = make_particles(20000);
  mine.particles = share(all.particles);
  all.time = mine.time = 0.3;
  const EnergySums expected = energy_sums(all, 0.7), sums = energy_sums(mine, 0.7, world());
  EXPECT_NEAR(sums.kinetic, expected.kinetic, 1e-13 * expected.kinetic);
  EXPECT_NEAR(sums.potential, expected.potential, 1e-13 * std::fabs(expected.potential) + 1e-13);
  // The same bits on every rank, and every time.
  EXPECT_EQ(world().min(sums.potential), world().max(sums.potential));
  EXPECT_EQ(energy_sums(mine, 0.7, world()).potential, sums.potential);
}

TEST_P(Analysis, MomentumSumsAreThoseOfOneRank) {
  const ParticleStore all = make_particles(20000);
  const Bodies mine = bodies_of(share(all));
  const MomentumSums expected = momentum_sums(bodies_of(all)), sums = momentum_sums(mine, world());
  EXPECT_LT(norm(sums.linear - expected.linear), 1e-13);
  EXPECT_LT(norm(sums.angular - expected.angular), 1e-13);
  EXPECT_EQ(momentum_sums(mine, world()).angular, sums.angular);
}

TEST_P(Analysis, SampleIsTheSame) {
  const ParticleStore all = make_particles(3000);
  const ParticleStore mine = share(all);
  for (const std::uint64_t sample : std::initializer_list<std::uint64_t>{0, 1, 100, 2999, 3000, Sample::all}) {
    std::vector<std::uint64_t> expected, got;
    for (const std::uint32_t i : sample_by_id(all.id, {sample, 4})) {
      if (owner(all, i, GetParam()) == world().rank()) expected.push_back(all.id[i]);
    }
    for (const std::uint32_t i : sample_by_id(mine.id, {sample, 4}, world())) got.push_back(mine.id[i]);
    EXPECT_EQ(got, expected) << sample;
  }
  // Ids that are not unique: still as many as asked for.
  const std::vector<std::uint64_t> same(mine.size(), 5);
  EXPECT_EQ(world().sum(static_cast<std::uint64_t>(sample_by_id(same, {1234, 4}, world()).size())), 1234U);
}

TEST_P(Analysis, PercentilesAreThoseOfOneRank) {
  for (const std::size_t n : {1U, 100U, 1001U}) {
    std::vector<double> all, mine;
    for (std::size_t i = 0; i < n; ++i) {
      all.push_back(std::ldexp(static_cast<double>(mix_bits(i)), -64));
      if (static_cast<int>(mix_bits(i + 99) % static_cast<std::uint64_t>(world().size())) == world().rank()) {
        mine.push_back(all.back());
      }
    }
    if (n == 100) all[3] = std::nan("");
    if (n == 100) std::replace(mine.begin(), mine.end(), std::ldexp(static_cast<double>(mix_bits(3)), -64), all[3]);
    const ErrorPercentiles got = percentiles(mine, world());
    for (double& e : all) e = std::isnan(e) ? INFINITY : e;
    std::sort(all.begin(), all.end());
    EXPECT_EQ(got.sample, n);
    EXPECT_EQ(got.median, all[(n + 1) / 2 - 1]);
    EXPECT_EQ(got.p90, all[(9 * n + 9) / 10 - 1]);
    EXPECT_EQ(got.p99, all[(99 * n + 99) / 100 - 1]);
    EXPECT_EQ(got.max, all.back());
  }
}

TEST_P(Analysis, ForceErrorIsThatOfOneRank) {
  const ParticleStore all = make_particles(4000);
  const ParticleStore mine = share(all);
  const PairLaw law{43, 0.02, MultipoleOrder::monopole};
  for (const std::uint64_t sample : {std::uint64_t{300}, Sample::all}) {
    const ForceError expected = measure_force_error(all, law, {sample, 2}, 0.4);
    const ForceError error = measure_force_error(mine, law, {sample, 2}, 0.4, world());
    EXPECT_EQ(error.total.sample, expected.total.sample);
    EXPECT_NEAR(error.total.median, expected.total.median, 1e-12 * expected.total.median);
    EXPECT_NEAR(error.total.p99, expected.total.p99, 1e-12 * expected.total.p99);
    EXPECT_NEAR(error.total.max, expected.total.max, 1e-12 * expected.total.max);
    EXPECT_NEAR(error.peculiar.median, expected.peculiar.median, 1e-12 * expected.peculiar.median);
    EXPECT_EQ(world().min(error.total.p90), world().max(error.total.p90));
    EXPECT_EQ(measure_force_error(mine, law, {sample, 2}, 0.4, world()).total.max, error.total.max);
  }
}

/// The truth of a periodic box is Ewald's, whatever ranks share its particles.
TEST_P(Analysis, ForceErrorInAPeriodicBoxIsAgainstEwald) {
  constexpr double side = 0.7;
  const ParticleStore all = make_particles(600);
  const ParticleStore mine = share(all);
  const PairLaw law{43, 0.02, MultipoleOrder::monopole, side};
  const ForceError expected = measure_force_error(all, law, {100, 2});
  const ForceError error = measure_force_error(mine, law, {100, 2}, 0, world());
  EXPECT_EQ(error.total.sample, expected.total.sample);
  EXPECT_NEAR(error.total.median, expected.total.median, 1e-12 * expected.total.median);
  EXPECT_NEAR(error.total.max, expected.total.max, 1e-12 * expected.total.max);
  const ForceTruth truth = sum_directly(mine, law, {100, 2}, world());
  for (std::size_t s = 0; s < truth.chosen.size(); s += 20) {
    const Vec3d target = mine.position[truth.chosen[s]];
    const auto exact = ewald_sum(all.position, all.mass, target, {side, law.softening, EwaldMethod::exact});
    const Vec3d pull = law.gravitational_constant * Vec3d{exact.x, exact.y, exact.z};
    EXPECT_LT(norm(truth.pull[s] - pull), 1e-6 * norm(pull));
  }
}

TEST_P(Analysis, ImageIsTheSameBitForBit) {
  ParticleStore all = make_particles(30000);
  all.mass[11] = INFINITY;
  all.mass[12] = 1e4F;
  const ParticleStore mine = share(all);
  ProjectionOptions options;
  options.region = {{-0.9, -0.7, -0.5}, {0.8, 0.7, 0.6}};
  for (options.axis = 0; options.axis < 3; ++options.axis) {
    options.pixels = 150 + 7 * static_cast<std::uint32_t>(options.axis);
    const SurfaceDensity expected = project_density(all.position, all.mass, options);
    const SurfaceDensity density = project_density(mine.position, mine.mass, options, world());
    if (world().root()) {
      EXPECT_EQ(density.value, expected.value);
      EXPECT_EQ(density.extent_x, expected.extent_x);
    } else {
      EXPECT_TRUE(density.value.empty());
    }
  }
  options.axis = 0;
  options.region = {{5, 5, 5}, {6, 6, 6}};
  EXPECT_EQ(project_density(mine.position, mine.mass, options, world()).width, world().root() ? options.pixels : 0U);
}

/// The complete count of one rank and of all must be one number; equal keys and massless cells are among the particles.
TEST_P(Analysis, CensusCountsTheTreeOfAllRanks) {
  ParticleStore all = make_particles(3000);
  for (std::size_t i = 0; i < 40; ++i) all.position[i + 1] = all.position[0];
  for (std::size_t i = 0; i < all.size(); ++i) all.mass[i] *= all.position[i].x > 0 ? 0.0F : 1.0F;
  ParticleStore mine = share(all);
  const Cube cube = enclosing_cube(bounding_box(all.position));
  sort_by_key(all, cube);
  if (world().alone()) sort_by_key(mine, cube);
  const CensusTree of_one(all, cube, {}, {}), of_all(mine, cube, {}, world());
  for (const double theta : {0.3, 0.7, 1.1}) {
    const EffectiveCount expected = count_effective(of_one, all, theta, {});
    const EffectiveCount count = count_effective(of_all, mine, theta, {}, world());
    EXPECT_EQ(count.pairs, expected.pairs) << theta;
    EXPECT_EQ(count.sample, all.size());
  }
  PairLaw box;
  box.box_size = 2 * cube.side;
  box.split = {cube.side / 20, cube.side / 4};
  for (const PairLaw& law : {PairLaw{}, box}) {
    EXPECT_EQ(count_effective(CensusTree(mine, cube, law, world()), mine, 0.7, {}, world()).pairs,
              count_effective(CensusTree(all, cube, law, {}), all, 0.7, {}).pairs);
  }
  const EffectiveCount expected = count_effective(of_one, all, 0.7, {200, 3});
  const EffectiveCount count = count_effective(of_all, mine, 0.7, {200, 3}, world());
  EXPECT_EQ(count.pairs, expected.pairs);
  EXPECT_NEAR(count.standard_error, expected.standard_error, 1e-10 * expected.standard_error);
}

/// Bytes; since the last call with `anew`, where the system lets a process forget.
double peak_of_memory(bool anew) {
  if (anew) std::ofstream("/proc/self/clear_refs") << 5;
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return 1024 * kilobytes;
  }
  return 0;
}

/// What is sent on its way adds 28 bytes for each of this rank's own.
TEST_P(Analysis, CensusCopiesWhatItReadsAlone) {
  if (world().alone()) return;
  constexpr double share_of_all = 200000;
  const ParticleStore mine = share(make_particles(static_cast<std::size_t>(share_of_all * world().size())));
  const double before = peak_of_memory(true);
  const CensusTree tree(mine, {}, {}, world());
  const double most = std::max(share_of_all, static_cast<double>(mine.size()));
  EXPECT_LT(peak_of_memory(false) - before, 1.3 * CensusTree::bytes_of_copies * most);
}

TEST_P(Analysis, EqualErrorWalkIsThatOfOneRank) {
  ParticleStore all = make_particles(2000);
  ParticleStore mine = share(all);
  const Cube cube = enclosing_cube(bounding_box(all.position));
  sort_by_key(all, cube);
  if (world().alone()) sort_by_key(mine, cube);
  const PairLaw law{43, 0.02, MultipoleOrder::quadrupole};
  const ForceTruth truth = sum_directly(all, law, {150, 3}), own_truth = sum_directly(mine, law, {150, 3}, world());
  const EqualErrorCount expected = count_equal_error_monopole(CensusTree(all, cube, law, {}), all, law, truth, {0.01});
  const EqualErrorCount count =
      count_equal_error_monopole(CensusTree(mine, cube, law, world()), mine, law, own_truth, {0.01}, world());
  EXPECT_NEAR(count.theta / expected.theta, 1, 1e-9);  // sums round otherwise
  EXPECT_NEAR(count.count.pairs / expected.count.pairs, 1, 1e-4);
  EXPECT_GT(count.theta, 0.1);
  EXPECT_LT(count.theta, 1.2);
}

TEST_P(Analysis, CensusOfFewOrCoincidentParticles) {
  for (const std::size_t n : {0U, 1U, 2U, 60U}) {
    ParticleStore all = make_particles(n);
    if (n == 60) std::fill(all.position.begin(), all.position.end(), Vec3d{0.1, 0.2, 0.3});
    const Cube cube = enclosing_cube(bounding_box(all.position));
    ParticleStore mine = share(all);
    sort_by_key(mine, cube);
    EXPECT_EQ(count_effective(CensusTree(mine, cube, {}, world()), mine, 0.5, {}, world()).pairs,
              static_cast<double>(n * n))
        << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Analysis, testing::Values(Deal::random, Deal::slabs),
                         [](const auto& deal) { return deal.param == Deal::random ? "random" : "slabs"; });

}  // namespace
}  // namespace multiwalk
