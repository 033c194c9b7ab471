// Forces on some of the particles only, those of deep rungs.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "host/force/gravity_solver.hpp"
#include "host/force/simd_backend.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

struct State {
  Vec3f acceleration;
  float potential, work;
};

std::map<std::uint64_t, State> by_id(const ParticleStore& store) {
  std::map<std::uint64_t, State> states;
  for (std::size_t i = 0; i < store.size(); ++i) {
    states[store.id[i]] = {store.acceleration[i], store.potential[i], store.work[i]};
  }
  return states;
}

/// A part of the particles, those of a corner and some anywhere, on rung 3.
ParticleStore on_rungs(std::size_t n, double anywhere) {
  ParticleStore store = test::plummer(n);
  store.set_rungs(true);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (std::size_t i = 0; i < n; ++i) {
    const bool deep = norm(store.position[i] - Vec3d{0.3, 0.3, 0.3}) < 0.3 || uniform(random) < anywhere;
    store.rung[i] = deep ? 3 : static_cast<std::uint8_t>(i % 3);
  }
  return store;
}

void expect_only_the_active(Mac mac, double anywhere) {
  const auto backend = make_simd_backend();
  GravityOptions options;
  options.mac = mac;
  options.theta = 0.5;
  options.alpha = 0.001;
  const PairLaw law{1, 0.01, MultipoleOrder::quadrupole};
  GravitySolver solver(options, *backend);
  ParticleStore store = on_rungs(6000, anywhere);
  solver.accelerate(store, law);
  for (Vec3d& p : store.position) p = 1.01 * p;
  for (Vec3f& g : store.long_range) g = {0.25F, 0, 0};
  ParticleStore all = store;
  const auto before = by_id(store);
  const std::uint64_t whole = solver.accelerate(all, law).raw.total();
  const RawCount raw = solver.accelerate(store, law, 0, nullptr, nullptr, 3).raw;
  const auto expected = by_id(all), found = by_id(store);

  double worst = 0, work = 0;
  std::size_t active = 0;
  for (std::size_t i = 0; i < store.size(); ++i) {
    const std::uint64_t id = store.id[i];
    ASSERT_EQ(found.at(id).potential, before.at(id).potential);
    if (store.rung[i] < 3) {
      ASSERT_EQ(found.at(id).acceleration, before.at(id).acceleration);
      ASSERT_EQ(found.at(id).work, before.at(id).work);
      continue;
    }
    ++active;
    work += static_cast<double>(found.at(id).work) - static_cast<double>(before.at(id).work);
    const Vec3d force(found.at(id).acceleration - Vec3f{0.25F, 0, 0}), exact(expected.at(id).acceleration);
    worst = std::max(worst, norm(force - exact) / norm(exact));
  }
  ASSERT_GT(active, 100U);
  EXPECT_LT(worst, 4e-3);
  EXPECT_DOUBLE_EQ(work, static_cast<double>(raw.total()));
  EXPECT_LT(raw.total(), whole);
  std::printf("%zu of 6000 active: largest difference %.1e, %.3f of the pairs\n", active, worst,
              static_cast<double>(raw.total()) / static_cast<double>(whole));
}

TEST(ActiveTargets, GetTheirForcesAndNothingElseChanges) {
  for (const Mac mac : {Mac::barnes90, Mac::offset, Mac::relative, Mac::bh86}) expect_only_the_active(mac, 0.05);
}

TEST(ActiveTargets, MayBeAllOrNone) {
  const auto backend = make_simd_backend();
  GravitySolver solver(GravityOptions{}, *backend);
  const PairLaw law{1, 0.01, MultipoleOrder::quadrupole};
  ParticleStore store = test::plummer(3000);
  store.set_rungs(true);
  solver.accelerate(store, law);
  ParticleStore none = store;
  EXPECT_EQ(solver.accelerate(none, law, 0, nullptr, nullptr, 1).raw.total(), 0U);
  EXPECT_EQ(none.acceleration, store.acceleration);
  std::ranges::fill(store.rung, std::uint8_t{2});
  const ParticleArray<Vec3f> before = store.acceleration;
  std::ranges::fill(store.acceleration, Vec3f{});
  const std::uint64_t whole = solver.accelerate(none, law).raw.total();
  EXPECT_EQ(solver.accelerate(store, law, 0, nullptr, nullptr, 2).raw.total(), whole);
  EXPECT_EQ(store.acceleration, before);
}

}  // namespace
}  // namespace multiwalk
