// SPDX-License-Identifier: GPL-3.0-or-later
// Particles that a device keeps from step to step move like those that the host kicks and drifts.
#include <algorithm>

#include "host/force/particle_keeper.hpp"
#include "host/solver/gravity_solver.hpp"
#include "host/time/leapfrog.hpp"
#include "tests/device/kept/kept_backend.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::device_test {
namespace {

constexpr double kick_factor = 0.01, drift_factor = 0.02, background = 0.3;

/// The sums that the host finds after the same kick.
KickSums host_sums(ParticleStore& particles) {
  KickSums sums;
  sums.largest_pull2 = kick(particles, 0, particles.size(), kick_factor, background);
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const double mass = particles.mass[i];
    sums.velocity_square += mass * norm2(Vec3d(particles.velocity[i]));
    sums.pair_potential += mass * static_cast<double>(particles.potential[i]);
    sums.position_square += mass * norm2(particles.position[i]);
  }
  return sums;
}

void expect_equal_sums(const KickSums& a, const KickSums& b) {
  EXPECT_NEAR(a.velocity_square / b.velocity_square, 1, 1e-11);  // the host's plain sum of 50,000
  EXPECT_NEAR(a.pair_potential / b.pair_potential, 1, 1e-11);
  EXPECT_NEAR(a.position_square / b.position_square, 1, 1e-11);
  EXPECT_EQ(a.largest_pull2, b.largest_pull2);
}

void expect_equal_stores(const ParticleStore& a, const ParticleStore& b) {
  EXPECT_TRUE(std::ranges::equal(a.position, b.position));
  EXPECT_TRUE(std::ranges::equal(a.velocity, b.velocity));
  EXPECT_TRUE(std::ranges::equal(a.acceleration, b.acceleration));
  EXPECT_TRUE(std::ranges::equal(a.potential, b.potential));
  EXPECT_TRUE(std::ranges::equal(a.work, b.work));
  EXPECT_TRUE(std::ranges::equal(a.id, b.id));
}

double farthest_apart(const ParticleStore& a, const ParticleStore& b) {
  double farthest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    farthest = larger_error(farthest, norm(a.position[i] - b.position[i]));
  }
  return farthest;
}

class KeptParticles : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_or_null()) GTEST_SKIP() << "no CUDA device";
  }
};

/// Three steps with the particles on the device, and three with them on the host: the same bits.
void expect_the_hosts_steps(bool device_walks, Mac mac) {
  const auto keeping = keeping_backend(0, device_walks), plain = keeping_backend(0, device_walks);
  GravitySolver kept_solver(kept_options(mac), *keeping, 4), host_solver(kept_options(mac), *plain, 4);
  ParticleKeeper& keeper = *keeping->particle_keeper();
  const ForceContext context{background};
  ParticleStore kept = test::plummer(50000), host = kept;
  kept_solver.accelerate(kept, kept_law, context);
  host_solver.accelerate(host, kept_law, context);
  ASSERT_TRUE(keeper.keep(kept));
  ASSERT_TRUE(keeper.keeps(kept));
  for (int step = 0; step < 3; ++step) {
    keeper.move(KickAndDrift{kick_factor, background, drift_factor});
    kick_and_drift(host, kick_factor, background, drift_factor);
    const RawCount raw = kept_solver.accelerate(kept, kept_law, context).raw;
    EXPECT_EQ(raw.total(), host_solver.accelerate(host, kept_law, context).raw.total());
    expect_equal_sums(keeper.kick_and_sum(kick_factor, background), host_sums(host));
    if (step == 1) continue;  // the store is out of date for a step
    EXPECT_FALSE(std::ranges::equal(kept.position, host.position));
    keeper.copy_home(Copied::all);
    expect_equal_stores(kept, host);
  }
}

TEST_F(KeptParticles, MoveAsOnTheHost) {
  for (const bool device_walks : {false, true}) {
    for (const Mac mac : {Mac::relative, Mac::barnes90}) expect_the_hosts_steps(device_walks, mac);
  }
}

/// The device keeps them in another order.
TEST_F(KeptParticles, ComeHomeInTheStoresOrder) {
  const auto backend = keeping_backend();
  ParticleStore particles = test::plummer(24000), host = particles;
  GravitySolver solver(kept_options(Mac::barnes90), *backend, 2);
  ParticleKeeper& keeper = *backend->particle_keeper();
  ASSERT_TRUE(keeper.keep(particles));
  keeper.move(KickAndDrift{kick_factor, background, drift_factor});
  kick_and_drift(host, kick_factor, background, drift_factor);
  solver.accelerate(particles, kept_law);
  keeper.copy_home(Copied::all);
  EXPECT_TRUE(std::ranges::equal(particles.position, host.position));
  EXPECT_TRUE(std::ranges::equal(particles.velocity, host.velocity));
  EXPECT_EQ(keeper.kick_and_sum(0, background).velocity_square, keeper.kick_and_sum(0, background).velocity_square);
  keeper.forget();
}

/// More than are put into the store's order at a time.
TEST_F(KeptParticles, ComeHomeInPieces) {
  const auto backend = keeping_backend();
  ParticleStore particles = test::uniform_cube(4'300'000, 9), host = particles;
  ParticleKeeper& keeper = *backend->particle_keeper();
  ASSERT_TRUE(keeper.keep(particles));
  keeper.move(KickAndDrift{kick_factor, background, drift_factor});
  kick_and_drift(host, kick_factor, background, drift_factor);
  keeper.copy_home(Copied::all);
  EXPECT_TRUE(std::ranges::equal(particles.position, host.position));
  EXPECT_TRUE(std::ranges::equal(particles.velocity, host.velocity));
  keeper.forget();
}

TEST_F(KeptParticles, SumTheSameEveryTime) {
  const auto backend = keeping_backend();
  const auto sums = [&] {
    ParticleStore particles = test::plummer(70001);
    GravitySolver solver(kept_options(Mac::relative), *backend, 2);
    ParticleKeeper& keeper = *backend->particle_keeper();
    EXPECT_TRUE(keeper.keep(particles));
    solver.accelerate(particles, kept_law);
    const KickSums result = keeper.kick_and_sum(kick_factor, 0);
    keeper.forget();
    return result;
  };
  const KickSums first = sums(), second = sums();
  EXPECT_EQ(first.velocity_square, second.velocity_square);
  EXPECT_EQ(first.pair_potential, second.pair_potential);
  EXPECT_EQ(first.position_square, second.position_square);
}

TEST_F(KeptParticles, FindAPullThatIsNotFinite) {
  const auto backend = keeping_backend();
  ParticleStore particles = test::plummer(30000);
  GravitySolver solver(kept_options(Mac::barnes90), *backend, 2);
  ParticleKeeper& keeper = *backend->particle_keeper();
  ASSERT_TRUE(keeper.keep(particles));
  solver.accelerate(particles, kept_law);
  EXPECT_TRUE(std::isfinite(keeper.kick_and_sum(kick_factor, 0).largest_pull2));
  EXPECT_FALSE(std::isfinite(keeper.kick_and_sum(0, INFINITY).largest_pull2));
  keeper.forget();
}

TEST_F(KeptParticles, ComeHomeForAnotherStore) {
  const auto backend = keeping_backend(), plain = keeping_backend();
  ParticleStore first = test::plummer(40000), host = first, second = test::plummer(30000);
  GravitySolver solver(kept_options(Mac::barnes90), *backend, 2), host_solver(kept_options(Mac::barnes90), *plain, 2);
  solver.accelerate(first, kept_law);
  host_solver.accelerate(host, kept_law);
  ParticleKeeper& keeper = *backend->particle_keeper();
  ASSERT_TRUE(keeper.keep(first));
  keeper.move(KickAndDrift{kick_factor, background, drift_factor});
  kick_and_drift(host, kick_factor, background, drift_factor);
  solver.accelerate(second, kept_law);
  EXPECT_FALSE(keeper.keeps(first));
  EXPECT_FALSE(keeper.keeps(second));
  EXPECT_TRUE(std::ranges::equal(first.position, host.position));
  EXPECT_TRUE(std::ranges::equal(first.velocity, host.velocity));
}

/// The host goes on where the device has no room for what it keeps.
TEST_F(KeptParticles, AreTheHostsIfMemoryIsSmall) {
  const auto roomy = keeping_backend(0, false);
  ParticleStore expected = test::plummer(60000);
  GravitySolver roomy_solver(kept_options(Mac::barnes90), *roomy, 2);
  roomy_solver.accelerate(expected, kept_law);
  kick_and_drift(expected, kick_factor, background, drift_factor);
  int kept = 0, not_kept = 0;
  for (std::size_t limit = 8'000'000; limit <= 32'000'000; limit += 2'000'000) {
    const auto backend = keeping_backend(limit, false);
    GravitySolver solver(kept_options(Mac::barnes90), *backend, 2);
    ParticleStore particles = test::plummer(60000);
    solver.accelerate(particles, kept_law);
    ParticleKeeper& keeper = *backend->particle_keeper();
    if (keeper.keep(particles)) {
      ++kept;
      keeper.move(KickAndDrift{kick_factor, background, drift_factor});
    } else {
      ++not_kept;
      kick_and_drift(particles, kick_factor, background, drift_factor);
    }
    solver.accelerate(particles, kept_law);
    if (keeper.keeps(particles)) keeper.copy_home(Copied::all);
    EXPECT_LE(backend->peak_device_memory(), limit);
    const ParticleStore sorted = test::in_order_of_ids(particles), truth = test::in_order_of_ids(expected);
    EXPECT_LT(farthest_apart(sorted, truth), 1e-6) << limit;  // trees of host and device differ in last bits
    if (keeper.keeps(particles)) keeper.forget();
  }
  EXPECT_GT(kept, 0);
  EXPECT_GT(not_kept, 0);
}

TEST_F(KeptParticles, MustBeMany) {
  const auto backend = keeping_backend();
  ParticleStore few = test::plummer(1000);
  EXPECT_FALSE(backend->particle_keeper()->keep(few));
  EXPECT_FALSE(backend->particle_keeper()->keeps(few));
}

}  // namespace
}  // namespace multiwalk::device_test
