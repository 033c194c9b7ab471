// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <random>
#include <set>
#include <vector>

#include "analysis/sky/crossing_finder.hpp"

namespace multiwalk {
namespace {

constexpr double side = 100;
constexpr ReplicaOptions both{true, true, 5};

TEST(Replicas, AreRotationsAndDependOnPlaceAndSeedAlone) {
  std::set<std::pair<std::array<int, 3>, std::array<int, 3>>> rotations;
  for (int x = -4; x <= 4; ++x) {
    for (int y = -4; y <= 4; ++y) {
      for (int z = -4; z <= 4; ++z) {
        const Replica r = replica_at(x, y, z, side, both), again = replica_at(x, y, z, side, both);
        EXPECT_EQ(norm(r.shift - again.shift), 0);
        const Vec3d a = r.turned({1, 0, 0}), b = r.turned({0, 1, 0}), c = r.turned({0, 0, 1});
        EXPECT_EQ(dot(cross(a, b), c), 1);
        for (int k = 0; k < 3; ++k) EXPECT_TRUE(r.shift[k] >= 0 && r.shift[k] < side);
        rotations.insert({std::to_array(r.axis), std::to_array(r.sign)});
      }
    }
  }
  EXPECT_EQ(rotations.size(), 24U);
  EXPECT_FALSE(replica_at(0, 0, 0, side, both).changed);
  EXPECT_FALSE(replica_at(1, 0, 0, side, {}).changed);
  EXPECT_NE(replica_at(1, 0, 0, side, both).shift.x, replica_at(0, 1, 0, side, both).shift.x);
  EXPECT_NE(replica_at(1, 0, 0, side, both).shift.x, replica_at(1, 0, 0, side, {true, true, 6}).shift.x);
  EXPECT_EQ(norm(replica_at(1, 2, 3, side, {true, false, 5}).shift), 0);
  const Replica shifted = replica_at(1, 2, 3, side, {false, true, 5});
  EXPECT_EQ(norm(shifted.turned({1, 2, 3}) - Vec3d{1, 2, 3}), 0);
}

ParticleStore particles_at_random(std::size_t number, float velocity) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> place(0, side);
  std::normal_distribution<float> normal;
  std::vector<Vec3d> places;
  for (std::size_t i = 0; i < number; ++i) places.push_back({place(random), place(random), place(random)});
  // Chunks are small only if neighbours are: some order in space.
  std::ranges::sort(places, [](Vec3d a, Vec3d b) {
    const auto key = [](Vec3d p) { return std::tuple(std::floor(p.x / 10), std::floor(p.y / 10), p.z); };
    return key(a) < key(b);
  });
  ParticleStore store;
  store.resize(number);
  for (std::size_t i = 0; i < number; ++i) {
    store.position[i] = places[i];
    store.velocity[i] = Vec3f{velocity * normal(random), velocity * normal(random), velocity * normal(random)};
    store.mass[i] = 1;
    store.id[i] = i;
  }
  return store;
}

class Collected final : public CrossingSink {
 public:
  std::vector<Crossing> all;

 private:
  void count(std::span<const Crossing> crossings) override {
    const std::lock_guard lock(adding_);
    all.insert(all.end(), crossings.begin(), crossings.end());
  }
  [[nodiscard]] bool in_order() const override { return false; }
  void append(std::span<const Crossing> /*crossings*/) override {}
  std::mutex adding_;
};

struct Met {
  std::uint64_t id;
  double distance;
};

bool before(const Met& a, const Met& b) {
  return std::tie(a.id, a.distance) < std::tie(b.id, b.distance);
}

/// Every copy of every particle on its straight way, by bisection; no particle reaches a face of its copy meanwhile.
std::vector<Met> brute_force(const ParticleStore& store, const LightPath& light, double factor, Vec3d observer,
                             const ReplicaOptions& options) {
  std::vector<Met> found;
  const int reach = static_cast<int>(light.begin / side) + 2;
  for (int x = -reach; x <= reach; ++x) {
    for (int y = -reach; y <= reach; ++y) {
      for (int z = -reach; z <= reach; ++z) {
        const Replica r = replica_at(x, y, z, side, options);
        const Vec3d at = Vec3d{x * side, y * side, z * side} - observer;
        for (std::size_t i = 0; i < store.size(); ++i) {
          const Vec3f v = store.velocity[i];
          const Vec3d from = r.placed(store.position[i], side) + at, turned = r.turned(factor * Vec3d{v.x, v.y, v.z});
          double lo = 0, hi = 1;
          if (!(norm(from) < light.begin) || norm(from + turned) < light.end) continue;
          for (int step = 0; step < 45; ++step) {
            const double u = 0.5 * (lo + hi);
            (norm(from + u * turned) < light.distance(u) ? lo : hi) = u;
          }
          found.push_back({i, light.distance(lo)});
        }
      }
    }
  }
  std::ranges::sort(found, before);
  return found;
}

void expect_brute_force(const SkyView& view, float velocity, const ReplicaOptions& options) {
  const Expansion expansion(CosmologyParameters{});
  const Drift drift{0.88, 0.9, expansion.drift_factor(0.88, 0.9)};
  const LightPath light(expansion, drift);
  const ParticleStore store = particles_at_random(1000, velocity);
  Collected collected;
  CrossingFinder(view, side, 0, 1e4, options).find(store, light, drift.factor, collected);
  std::vector<Met> met;
  for (const Crossing& c : collected.all) met.push_back({c.id, c.distance});
  std::ranges::sort(met, before);
  const std::vector<Met> expected = brute_force(store, light, drift.factor, view.observer, options);
  ASSERT_GT(expected.size(), 30000U);
  ASSERT_EQ(met.size(), expected.size());
  for (std::size_t i = 0; i < met.size(); ++i) {
    ASSERT_EQ(met[i].id, expected[i].id);
    ASSERT_NEAR(met[i].distance, expected[i].distance, 1e-7);
  }
}

TEST(Replicas, CrossingsAreThoseOfBruteForce) {
  SkyView view;
  view.observer = {10, 95, 50};
  for (const float velocity : {0.0F, 300.0F}) {
    for (const ReplicaOptions& options :
         {ReplicaOptions{}, ReplicaOptions{true, false, 1}, ReplicaOptions{false, true, 2}, both}) {
      expect_brute_force(view, velocity, options);
    }
  }
}

/// Such positions come from devices that wrap them only now and then.
TEST(Replicas, ParticlesBeyondTheBoxAreTakenAsTheirImages) {
  const Expansion expansion(CosmologyParameters{});
  const Drift drift{0.88, 0.9, expansion.drift_factor(0.88, 0.9)};
  const LightPath light(expansion, drift);
  SkyView view;
  view.observer = {10, 95, 50};
  for (const ReplicaOptions& options : {ReplicaOptions{}, both}) {
    ParticleStore store = particles_at_random(300, 3000);
    const auto met = [&] {
      Collected collected;
      CrossingFinder(view, side, 0, 1e4, options).find(store, light, drift.factor, collected);
      std::ranges::sort(collected.all, [](const Crossing& a, const Crossing& b) {
        return std::tie(a.id, a.distance) < std::tie(b.id, b.distance);
      });
      return collected.all;
    };
    const std::vector<Crossing> expected = met();
    for (std::size_t i = 0; i < store.size(); i += 3) store.position[i] += Vec3d{side, i % 2 == 0 ? -side : 0, -side};
    const std::vector<Crossing> found = met();
    ASSERT_GT(found.size(), 5000U);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].id, expected[i].id);
      ASSERT_LT(norm(found[i].position - expected[i].position), 1e-9);
    }
  }
}

/// Positions and momenta turn alike: particles that fly away from the centre of the box do so in every copy.
TEST(Replicas, MomentaTurnWithPositions) {
  const Expansion expansion(CosmologyParameters{});
  const Drift drift{0.94, 0.95, expansion.drift_factor(0.94, 0.95)};
  const Vec3d middle{side / 2, side / 2, side / 2};
  ParticleStore store = particles_at_random(2000, 0);
  for (std::size_t i = 0; i < store.size(); ++i) {
    const Vec3d away = store.position[i] - middle;
    store.velocity[i] = Vec3f{static_cast<float>(away.x), static_cast<float>(away.y), static_cast<float>(away.z)};
  }
  SkyView view;
  view.observer = middle;
  Collected collected;
  CrossingFinder(view, side, 0, 1e4, {true, false, 1})
      .find(store, LightPath(expansion, drift), drift.factor, collected);
  ASSERT_GT(collected.all.size(), 1000U);
  for (const Crossing& c : collected.all) {
    for (int k = 0; k < 3; ++k) {  // from the middle of its copy
      const double difference = c.position[k] - static_cast<double>(c.momentum[k]);
      EXPECT_NEAR(difference, side * std::round(difference / side), 0.1);
    }
  }
}

}  // namespace
}  // namespace multiwalk
