// SPDX-License-Identifier: GPL-3.0-or-later
// Light cones whose crossings are sought among all particles and among those that may pass.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "analysis/sky/crossing_finder.hpp"

namespace multiwalk::test {

struct PassageCase {
  const char* name;
  SkyView view;
  double period;
  double near, far;
  ReplicaOptions replicas;
  Drift drift;
};

/// The sky in a frame of its own.
inline SkyView tilted_view(Vec3d observer, SkyOpening opening, double half_angle = 0) {
  SkyView view;
  view.observer = observer;
  view.frame = SkyFrame::of({1, 2, 3}, {0, 1, 0});
  view.opening = opening;
  view.axis = (1 / norm(Vec3d{2, -1, 0.5})) * Vec3d{2, -1, 0.5};
  view.half_angle = half_angle;
  return view;
}

/// Boxes of side 100, or a vacuum, in light that comes from up to about 400 Mpc/h.
inline std::vector<PassageCase> passage_cases() {
  const Expansion expansion(CosmologyParameters{});
  const auto drift = [&](double begin, double end) { return Drift{begin, end, expansion.drift_factor(begin, end)}; };
  const Vec3d observer{10, 95, 50};
  SkyView full;
  full.observer = observer;
  const double infinite = 1e4;
  return {
      {"full sky", full, 100, 0, infinite, {}, drift(0.9, 0.902)},
      {"long drift", full, 100, 0, infinite, {}, drift(0.9, 0.93)},
      {"last drift", full, 100, 0, infinite, {}, drift(0.98, 1.02)},
      {"near and far",
       full,
       100,
       light_distance(expansion, 0.901),
       light_distance(expansion, 0.9005),
       {},
       drift(0.9, 0.902)},
      {"turned copies", full, 100, 0, infinite, {true, false, 1}, drift(0.9, 0.902)},
      {"turned and shifted copies", full, 100, 0, infinite, {true, true, 5}, drift(0.9, 0.902)},
      {"octant", tilted_view(observer, SkyOpening::octant), 100, 0, infinite, {}, drift(0.9, 0.902)},
      {"narrow cone", tilted_view(observer, SkyOpening::cone, 0.1), 100, 0, infinite, {}, drift(0.9, 0.902)},
      {"wide cone",
       tilted_view(observer, SkyOpening::cone, 2.2),
       100,
       0,
       infinite,
       {false, true, 2},
       drift(0.9, 0.902)},
      {"vacuum", tilted_view({3, 4, 5}, SkyOpening::octant), 0, 0, infinite, {}, drift(0.97, 0.975)},
  };
}

/// Clumps of particles in a random order of clumps, a few of which are beyond the box, and a few faster than light.
/// `speed`: of most particles, p in km/s.
inline ParticleStore passage_particles(std::size_t number, double period, float speed) {
  std::mt19937_64 random(11);
  const double side = period > 0 ? period : 200;
  std::uniform_real_distribution<double> place(period > 0 ? 0 : -side / 2, period > 0 ? side : side / 2);
  std::normal_distribution<double> apart(0, side / 50);
  std::normal_distribution<float> normal;
  ParticleStore store;
  store.resize(number);
  Vec3d clump;
  for (std::size_t i = 0; i < number; ++i) {
    if (i % 50 == 0) clump = {place(random), place(random), place(random)};
    const Vec3d x = clump + Vec3d{apart(random), apart(random), apart(random)};
    store.position[i] = i % 7 == 0 ? x : wrapped(x, period);
    store.velocity[i] = speed * Vec3f{normal(random), normal(random), normal(random)};
    if (i % 501 == 500) store.velocity[i] = {6e5F, -5e5F, 4e5F};
    store.mass[i] = 1 + static_cast<float>(i % 3);
    store.id[i] = 1000 + i;
  }
  return store;
}

/// Crossings in the order of the particles.
class CrossingsInOrder final : public CrossingSink {
 public:
  std::vector<Crossing> all;

 private:
  void count(std::span<const Crossing> /*crossings*/) override {}
  [[nodiscard]] bool in_order() const override { return true; }
  void append(std::span<const Crossing> crossings) override {
    all.insert(all.end(), crossings.begin(), crossings.end());
  }
};

inline bool same_bytes(const Crossing& a, const Crossing& b) {
  const auto same = [](const auto& x, const auto& y) { return std::memcmp(&x, &y, sizeof x) == 0; };
  return same(a.position, b.position) && same(a.distance, b.distance) && same(a.a, b.a) &&
         same(a.momentum, b.momentum) && same(a.mass, b.mass) && same(a.id, b.id);
}

/// Those among `passing` are the same, in the same order, as those of the whole store. Returns their number.
inline std::size_t expect_same_crossings(const PassageCase& c, const ParticleStore& store,
                                         const PassingParticles& passing) {
  const LightPath light(Expansion(CosmologyParameters{}), c.drift);
  const CrossingFinder finder(c.view, c.period, c.near, c.far, c.replicas);
  std::vector<float> mass;
  std::vector<std::uint64_t> id;
  for (const std::uint32_t i : passing.index) {
    mass.push_back(store.mass[i]);
    id.push_back(store.id[i]);
  }
  CrossingsInOrder expected, found;
  finder.find(store, light, c.drift.factor, expected);
  finder.find({passing.position, passing.velocity, mass, id, passing.index}, light, c.drift.factor, found);
  EXPECT_EQ(found.all.size(), expected.all.size()) << c.name;
  EXPECT_TRUE(std::ranges::equal(found.all, expected.all, same_bytes)) << c.name;
  return expected.all.size();
}

}  // namespace multiwalk::test
