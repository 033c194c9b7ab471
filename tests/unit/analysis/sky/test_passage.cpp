// SPDX-License-Identifier: GPL-3.0-or-later
// The particles that may cross the light: enough of them for all crossings, and not many more.
#include <gtest/gtest.h>

#include "tests/support/sky/passage_cases.hpp"
#include "tests/support/sky/passing_on_host.hpp"

namespace multiwalk {
namespace {

Passage passage_of(const test::PassageCase& c) {
  const LightPath light(Expansion(CosmologyParameters{}), c.drift);
  return CrossingFinder(c.view, c.period, c.near, c.far, c.replicas).passage(light, c.drift.factor);
}

TEST(Passage, ParticlesThatPassHaveAllCrossings) {
  for (const test::PassageCase& c : test::passage_cases()) {
    for (const float speed : {0.0F, 300.0F, 30000.0F}) {
      const ParticleStore store = test::passage_particles(8000, c.period, speed);
      const auto passing = test::passing_on_host(passage_of(c), store);
      EXPECT_GT(test::expect_same_crossings(c, store, *passing), 50U) << c.name;
    }
  }
}

/// Particles at the places, in space and time, at which a choice changes: every one is chosen that crosses.
TEST(Passage, IsRightAtItsBorders) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(0, 1);
  std::uniform_real_distribution<float> speed(0, 3000);
  for (const test::PassageCase& c : test::passage_cases()) {
    const LightPath light(Expansion(CosmologyParameters{}), c.drift);
    const std::vector<double> borders{light.begin, light.end, c.near, c.far};
    ParticleStore store;
    store.resize(4000);
    for (std::size_t i = 0; i < store.size(); ++i) {
      const Vec3d g{normal(random), normal(random), normal(random)}, way = (1 / norm(g)) * g;
      const double border = borders[i % 4], from = std::max(border, 0.0) + 1e-9 * static_cast<double>(i % 5) - 2e-9;
      const float v = i % 3 == 0 ? 0 : i % 3 == 1 ? speed(random) : -speed(random);
      store.velocity[i] = {static_cast<float>(way.x) * v, static_cast<float>(way.y) * v, static_cast<float>(way.z) * v};
      const Vec3d at = c.view.observer + from * way;
      const double share = static_cast<double>(i % 2);  // it is there at the beginning or at the end
      store.position[i] = wrapped(at - share * c.drift.factor * widened(store.velocity[i]), c.period);
      store.id[i] = i;
    }
    const auto passing = test::passing_on_host(passage_of(c), store);
    EXPECT_GT(test::expect_same_crossings(c, store, *passing), 20U) << c.name;
  }
}

TEST(Passage, ChoosesFewOthers) {
  for (const test::PassageCase& c : test::passage_cases()) {
    ParticleStore store = test::passage_particles(8000, c.period, 300);
    for (std::size_t i = 500; i < store.size(); i += 501) store.velocity[i] = {};
    const auto passing = test::passing_on_host(passage_of(c), store);
    std::vector<std::uint64_t> crossing;
    test::CrossingsInOrder all;
    const LightPath light(Expansion(CosmologyParameters{}), c.drift);
    CrossingFinder(c.view, c.period, c.near, c.far, c.replicas).find(store, light, c.drift.factor, all);
    for (const Crossing& found : all.all) crossing.push_back(found.id);
    std::ranges::sort(crossing);
    const auto repeated = std::ranges::unique(crossing);
    const auto number = static_cast<double>(repeated.begin() - crossing.begin());
    EXPECT_LT(static_cast<double>(passing->size()), 1.3 * number + 20) << c.name;
  }
}

/// A box passes if a particle in it does.
TEST(Passage, BoxesOfParticlesPassIfOneDoes) {
  constexpr std::size_t group = 25;
  for (const test::PassageCase& c : test::passage_cases()) {
    const Passage passage = passage_of(c);
    const ParticleStore store = test::passage_particles(4000, c.period, 300);
    std::size_t rejected = 0;
    for (std::size_t first = 0; first < store.size(); first += group) {
      Box box;
      double way = 0;
      for (std::size_t i = first; i < first + group; ++i) {
        box.include(in_box(store.position[i], c.period));
        way = std::max(way, norm(passage.light.factor * widened(store.velocity[i])));
      }
      for (const PassageCopy& copy : passage.copies) {
        const bool whole = may_pass(passage.light, copy, box.lo, box.hi, way);
        rejected += whole ? 0 : 1;
        for (std::size_t i = first; i < first + group && !whole; ++i) {
          const double own = norm(passage.light.factor * widened(store.velocity[i]));
          ASSERT_FALSE(may_pass(passage.light, copy, in_box(store.position[i], c.period), own)) << c.name;
        }
      }
    }
    EXPECT_GT(rejected, c.period > 0 ? 1000U : 20U) << c.name;
  }
}

TEST(Passage, NothingPassesOutsideTheCone) {
  const Expansion expansion(CosmologyParameters{});
  const SkyView view;
  const CrossingFinder finder(view, 100, 200, 300);
  const auto copies = [&](double begin, double end) {
    const Drift drift{begin, end, expansion.drift_factor(begin, end)};
    return finder.passage(LightPath(expansion, drift), drift.factor).copies.size();
  };
  EXPECT_EQ(copies(0.5, 0.51), 0U) << "too early";
  EXPECT_EQ(copies(0.98, 0.99), 0U) << "too late";
  EXPECT_GT(copies(0.91, 0.92), 0U);
}

}  // namespace
}  // namespace multiwalk
