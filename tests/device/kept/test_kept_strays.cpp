// SPDX-License-Identifier: GPL-3.0-or-later
// Particles that a device keeps leave for other ranks and arrive from them: it then holds what the store would.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <unordered_map>

#include "host/force/gravity_solver.hpp"
#include "host/force/particle_keeper.hpp"
#include "host/time/leapfrog.hpp"
#include "tests/device/kept/kept_backend.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::device_test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr Box everywhere{{-infinite, -infinite, -infinite}, {infinite, infinite, infinite}};

GravityOptions stray_options() {
  GravityOptions options;
  options.mac = Mac::relative;
  options.alpha = 0.003;
  options.group_size = 100;
  return options;
}

/// Every array gets values that follow from the id.
void fill(ParticleStore& store, std::size_t i, std::uint64_t id) {
  std::mt19937_64 random(id);
  std::normal_distribution<float> normal(0, 1);
  const auto vector = [&] { return Vec3f{normal(random), normal(random), normal(random)}; };
  store.position[i] = 0.3 * Vec3d(vector());
  store.velocity[i] = vector();
  store.acceleration[i] = vector();
  store.mass[i] = 1e-5F * (2 + std::fabs(normal(random)));
  store.id[i] = id;
  store.potential[i] = normal(random);
  store.work[i] = std::fabs(normal(random));
  if (!store.has_rungs()) return;
  store.long_range[i] = vector();
  store.rung[i] = static_cast<std::uint8_t>(id % 7);
}

ParticleStore stray_particles(std::size_t n, bool rungs) {
  ParticleStore store;
  store.set_rungs(rungs);
  store.resize(n);
  for (std::size_t i = 0; i < n; ++i) fill(store, i, i);
  return store;
}

std::vector<std::uint32_t> strays_of(const ParticleStore& store, const Box& domain) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < store.size(); ++i)
    if (!lies_in(domain, store.position[i])) result.push_back(i);
  return result;
}

/// Changes the store of a rank as migrate does.
void exchange(ParticleStore& store, const StoreChange& change, std::uint64_t first_id) {
  store.for_each_array([&](const char*, auto& values) {
    for (std::size_t k = 0; k < change.moved_from.size(); ++k)
      values[change.moved_to[k]] = values[change.moved_from[k]];
  });
  store.resize_tightly(change.after);
  for (std::size_t k = 0; k < change.arrived.size(); ++k) fill(store, change.arrived[k], first_id + k);
}

/// The particles in the order of these ids.
void put_in_order(ParticleStore& store, std::span<const std::uint64_t> id) {
  std::unordered_map<std::uint64_t, std::uint32_t> index;
  for (std::uint32_t i = 0; i < store.size(); ++i) index[store.id[i]] = i;
  std::vector<std::uint32_t> order(id.size());
  std::ranges::transform(id, order.begin(), [&](std::uint64_t wanted) { return index.at(wanted); });
  store.reorder(order);
}

/// All but potentials and work, which evaluations make anew.
void expect_same_particles(const ParticleStore& a, const ParticleStore& b) {
  EXPECT_TRUE(std::ranges::equal(a.position, b.position));
  EXPECT_TRUE(std::ranges::equal(a.velocity, b.velocity));
  EXPECT_TRUE(std::ranges::equal(a.acceleration, b.acceleration));
  EXPECT_TRUE(std::ranges::equal(a.mass, b.mass));
  EXPECT_TRUE(std::ranges::equal(a.id, b.id));
  EXPECT_TRUE(std::ranges::equal(a.long_range, b.long_range));
  EXPECT_TRUE(std::ranges::equal(a.rung, b.rung));
}

void expect_same_forces(const ParticleStore& a, const ParticleStore& b) {
  expect_same_particles(a, b);
  EXPECT_TRUE(std::ranges::equal(a.potential, b.potential));
  EXPECT_TRUE(std::ranges::equal(a.work, b.work));
}

/// Leaves fewer than all particles, but enough.
Box half_space(double face) {
  return {{-infinite, -infinite, -infinite}, {infinite, face, infinite}};
}

class KeptStrays : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    backend_ = keeping_backend();
    if (!backend_) GTEST_SKIP() << "no CUDA device";
    plain_ = keeping_backend();
  }
  ParticleKeeper& keeper() { return *backend_->particle_keeper(); }

  /// Kept, in the device's own order, with forces; the store is up to date.
  ParticleStore begin(ParticleStore& store) {
    GravitySolver(stray_options(), *backend_, 2).accelerate(store, kept_law);
    EXPECT_TRUE(keeper().keep(store));
    keeper().kick_and_drift(0.01, 0, 0.01);
    GravitySolver(stray_options(), *backend_, 2).accelerate(store, kept_law);
    EXPECT_TRUE(keeper().keeps(store));
    keeper().copy_home();
    return store;
  }
  /// Drifts, returns strays and lets others arrive (none given: as many), on the device and on the host.
  void exchange_both(ParticleStore& kept, ParticleStore& host, const Box& domain, std::optional<std::size_t> coming) {
    keeper().drift(0.02);
    drift(host, 0.02);
    const std::vector<std::uint32_t> strays = keeper().bring_strays_home(domain);
    const StoreChange change = plan_exchange(strays, coming.value_or(strays.size()), kept.size());
    EXPECT_EQ(change.left, strays_of(host, domain));
    next_id_ += 1000000;
    exchange(kept, change, next_id_);
    exchange(host, change, next_id_);
    keeper().follow_exchange(change);
  }
  std::unique_ptr<ForceBackend> backend_, plain_;
  std::uint64_t next_id_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Rungs, KeptStrays, testing::Bool());

TEST_P(KeptStrays, AloneComeHome) {
  ParticleStore store = stray_particles(60000, GetParam());
  ParticleStore host = begin(store);
  const ParticleStore before = store;
  keeper().drift(0.02);
  drift(host, 0.02);
  const Box domain{{-0.4, -infinite, -0.5}, {infinite, 0.3, 0.35}};
  const std::vector<std::uint32_t> strays = strays_of(host, domain);
  EXPECT_GT(strays.size(), 20000U);  // more than are copied at a time
  EXPECT_LT(strays.size(), 50000U);
  EXPECT_EQ(keeper().bring_strays_home(domain), strays);
  ParticleStore expected = before;
  for (const std::uint32_t i : strays) expected.position[i] = host.position[i];
  expect_same_forces(store, expected);
  EXPECT_TRUE(keeper().bring_strays_home(everywhere).empty());
  expect_same_forces(store, expected);
  keeper().forget();
}

/// Only these are read: whatever else lies in the store stays.
TEST_P(KeptStrays, BringAllTheirData) {
  ParticleStore store = stray_particles(30000, GetParam());
  const ParticleStore host = begin(store);
  keeper().drift(0);  // the store counts as out of date
  const std::vector<std::uint32_t> strays = strays_of(host, half_space(0.3));
  ParticleStore expected = host;
  for (std::size_t i = 0; i < store.size(); ++i) fill(store, i, 5 * i + 1);
  for (std::size_t i = 0; i < store.size(); ++i) fill(expected, i, 5 * i + 1);
  for (ParticleStore* s : {&store, &expected}) s->mass = host.mass, s->id = host.id;
  for (const std::uint32_t i : strays) {
    expected.position[i] = host.position[i];
    expected.velocity[i] = host.velocity[i];
    expected.acceleration[i] = host.acceleration[i];
    expected.potential[i] = host.potential[i];
    expected.work[i] = host.work[i];
    if (!GetParam()) continue;
    expected.long_range[i] = host.long_range[i];
    expected.rung[i] = host.rung[i];
  }
  EXPECT_EQ(keeper().bring_strays_home(half_space(0.3)), strays);
  expect_same_forces(store, expected);
  keeper().forget();
}

/// More arrive than leave, as many, fewer, none, only some, and nothing happens; then forces.
TEST_P(KeptStrays, AreFollowedByThoseWhoArrive) {
  struct Case {
    Box domain;
    std::optional<std::size_t> coming;
  };
  for (const Case& c : {Case{half_space(0.5), 9000}, Case{half_space(0.4), std::nullopt}, Case{half_space(0.3), 300},
                        Case{half_space(0.3), 0}, Case{everywhere, 77}, Case{everywhere, 60000}, Case{everywhere, 0}}) {
    ParticleStore store = stray_particles(60000, GetParam());
    ParticleStore host = begin(store);
    for (int round = 0; round < 3; ++round) {
      exchange_both(store, host, c.domain, c.coming);
      ASSERT_TRUE(keeper().keeps(store));
      if (round == 1) continue;
      keeper().copy_home();
      expect_same_particles(store, host);
    }
    GravitySolver(stray_options(), *backend_, 2).accelerate(store, kept_law);
    GravitySolver(stray_options(), *plain_, 2).accelerate(host, kept_law);
    ASSERT_TRUE(keeper().keeps(store));
    keeper().copy_home();
    expect_same_forces(test::in_order_of_ids(store), test::in_order_of_ids(host));
    keeper().forget();
  }
}

TEST_P(KeptStrays, ComeAndGoInEveryStep) {
  ParticleStore store = stray_particles(50000, GetParam());
  ParticleStore host = begin(store);
  GravitySolver solver(stray_options(), *backend_, 2), host_solver(stray_options(), *plain_, 2);
  for (const std::size_t coming : {4000, 0, 12000, 100, 3000}) {
    exchange_both(store, host, half_space(0.6), coming);
    solver.accelerate(store, kept_law);
    host_solver.accelerate(host, kept_law);
    put_in_order(host, store.id);
    ASSERT_TRUE(keeper().keeps(store));
    keeper().kick_and_drift(0.01, 0, 0.01);
    kick_and_drift(host, 0.01, 0, 0.01);
  }
  keeper().copy_home();
  expect_same_forces(store, host);
  keeper().forget();
}

/// The host moves few particles faster.
TEST_P(KeptStrays, LeaveTheOthersAtHomeIfTheyAreFew) {
  ParticleStore store = stray_particles(30000, GetParam());
  ParticleStore host = begin(store);
  exchange_both(store, host, half_space(0), 1000);
  EXPECT_LT(store.size(), 20000U);
  EXPECT_FALSE(keeper().keeps(store));
  expect_same_particles(store, host);
}

/// The device has no room for those who arrive.
TEST_P(KeptStrays, LeaveTheOthersAtHomeIfMemoryIsSmall) {
  int kept = 0, not_kept = 0;
  for (std::size_t limit = 12'000'000; limit <= 60'000'000; limit += 4'000'000) {
    backend_ = keeping_backend(limit);
    ParticleStore store = stray_particles(60000, GetParam());
    if (!keeper().keep(store)) continue;
    ParticleStore host = store;
    exchange_both(store, host, half_space(0.5), 150000);
    EXPECT_LE(backend_->peak_device_memory(), limit);
    if (keeper().keeps(store)) {
      ++kept;
      keeper().copy_home();
      keeper().forget();
    } else {
      ++not_kept;
    }
    expect_same_particles(store, host);
  }
  EXPECT_GT(kept, 0);
  EXPECT_GT(not_kept, 0);
}

TEST_P(KeptStrays, AreThoseThatAreNowhere) {
  ParticleStore store = stray_particles(30000, GetParam());
  store.position[77].y = NAN;
  store.position[7777].x = INFINITY;
  store.position[17777].z = -INFINITY;
  ASSERT_TRUE(keeper().keep(store));
  EXPECT_EQ(keeper().bring_strays_home(everywhere), (std::vector<std::uint32_t>{77, 7777, 17777}));
  keeper().forget();
}

TEST_P(KeptStrays, AloneMayLeave) {
  ParticleStore store = stray_particles(30000, GetParam());
  ASSERT_TRUE(keeper().keep(store));
  std::vector<std::uint32_t> strays = keeper().bring_strays_home(half_space(0.3));
  ASSERT_GT(strays.size(), 1U);
  strays.pop_back();
  const StoreChange change = plan_exchange(strays, 0, store.size());
  exchange(store, change, 0);
  EXPECT_THROW(keeper().follow_exchange(change), Error);
  keeper().forget();
}

}  // namespace
}  // namespace multiwalk::device_test
