// SPDX-License-Identifier: GPL-3.0-or-later
// Forces on some of the particles only, those of deep rungs, by any back end.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <random>

#include "host/solver/gravity_solver.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::test {

struct State {
  Vec3f acceleration;
  float potential, work;
};

inline std::map<std::uint64_t, State> by_id(const ParticleStore& store) {
  std::map<std::uint64_t, State> states;
  for (std::size_t i = 0; i < store.size(); ++i) {
    states[store.id[i]] = {store.acceleration[i], store.potential[i], store.work[i]};
  }
  return states;
}

/// A part of the particles, those of a corner and some anywhere, on rung 3.
inline ParticleStore on_rungs(std::size_t n, double anywhere) {
  ParticleStore store = plummer(n);
  store.set_rungs(true);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (std::size_t i = 0; i < n; ++i) {
    const bool deep = norm(store.position[i] - Vec3d{0.3, 0.3, 0.3}) < 0.3 || uniform(random) < anywhere;
    store.rung[i] = deep ? 3 : static_cast<std::uint8_t>(i % 3);
  }
  return store;
}

/// Of a Plummer sphere of n. `packed`: nothing but the active particles is evaluated, and their potentials stay.
inline void expect_only_the_active(ForceBackend& backend, Mac mac, double anywhere, std::size_t n, bool packed) {
  GravityOptions options;
  options.mac = mac;
  options.theta = 0.5;
  options.alpha = 0.001;
  const PairLaw law{1, 0.01, MultipoleOrder::quadrupole};
  GravitySolver solver(options, backend);
  ParticleStore store = on_rungs(n, anywhere);
  solver.accelerate(store, law);
  for (Vec3d& p : store.position) p = 1.01 * p;
  for (Vec3f& g : store.long_range) g = {0.25F, 0, 0};
  ParticleStore all = store;
  const auto before = by_id(store);
  const std::uint64_t whole = solver.accelerate(all, law).raw.total();
  const RawCount raw = solver.accelerate(store, law, {.least_rung = 3}).raw;
  const auto expected = by_id(all), found = by_id(store);

  double worst = 0, work = 0;
  std::size_t active = 0;
  for (std::size_t i = 0; i < store.size(); ++i) {
    const std::uint64_t id = store.id[i];
    if (packed || store.rung[i] < 3) {
      ASSERT_EQ(found.at(id).potential, before.at(id).potential);
    }
    if (store.rung[i] < 3) {
      ASSERT_EQ(found.at(id).acceleration, before.at(id).acceleration);
      if (packed) {
        ASSERT_EQ(found.at(id).work, before.at(id).work);
      }
      continue;
    }
    ++active;
    work += static_cast<double>(found.at(id).work) - static_cast<double>(before.at(id).work);
    const Vec3d force(found.at(id).acceleration - Vec3f{0.25F, 0, 0}), exact(expected.at(id).acceleration);
    worst = larger_error(worst, norm(force - exact) / norm(exact));
  }
  ASSERT_GT(active, 100U);
  EXPECT_LT(worst, 4e-3);
  if (packed) {
    EXPECT_DOUBLE_EQ(work, static_cast<double>(raw.total()));
  }
  EXPECT_LT(raw.total(), whole);
  std::printf("%zu of %zu active: largest difference %.1e, %.3f of the pairs\n", active, n, worst,
              static_cast<double>(raw.total()) / static_cast<double>(whole));
}

}  // namespace multiwalk::test
