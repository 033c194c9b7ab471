// SPDX-License-Identifier: GPL-3.0-or-later
// Block steps of particles that a device keeps: kicks, drifts and rungs are the host's bit for bit, forces on active
// particles are those of walks made by the host, and a tree that follows its particles is as accurate as a new one.
#include <algorithm>
#include <cstdio>
#include <random>

#include "decomposition/mesh/long_range_mesh.hpp"
#include "host/force/particle_keeper.hpp"
#include "host/solver/gravity_solver.hpp"
#include "host/time/leapfrog.hpp"
#include "host/time/rungs.hpp"
#include "tests/device/kept/kept_backend.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/active_targets.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/models.hpp"
#include "tests/support/periodic_models.hpp"

namespace multiwalk::device_test {
namespace {

constexpr double block_background = 0.3;

/// The short-range law of a box of side 1 with a mesh of 32 cells.
PairLaw box_law() {
  return {1, 0.002, MultipoleOrder::quadrupole, 1, {0.04, 0.22}};
}

MeshForceOptions box_mesh() {
  MeshForceOptions options;
  options.cells = 32;
  options.split_scale = 0.04;
  return options;
}

/// Random velocities of about 1 along each axis.
void stir(ParticleStore& store) {
  std::mt19937_64 random(7);
  std::normal_distribution<float> normal(0, 1);
  for (Vec3f& v : store.velocity) v = {normal(random), normal(random), normal(random)};
}

ParticleStore sphere_particles(std::size_t n) {
  ParticleStore store = test::on_rungs(n, 0.02);
  stir(store);
  return store;
}

ParticleStore box_particles(std::size_t n) {
  ParticleStore store = test::clusters_at_faces(n);
  store.set_rungs(true);
  for (std::size_t i = 0; i < n; ++i) store.rung[i] = static_cast<std::uint8_t>(i < n / 4 ? 3 : i % 3);
  stir(store);
  return store;
}

void expect_equal_arrays(const ParticleStore& a, const ParticleStore& b) {
  EXPECT_TRUE(std::ranges::equal(a.position, b.position));
  EXPECT_TRUE(std::ranges::equal(a.velocity, b.velocity));
  EXPECT_TRUE(std::ranges::equal(a.acceleration, b.acceleration));
  EXPECT_TRUE(std::ranges::equal(a.long_range, b.long_range));
  EXPECT_TRUE(std::ranges::equal(a.rung, b.rung));
  EXPECT_TRUE(std::ranges::equal(a.id, b.id));
}

class KeptBlockSteps : public testing::Test {
 protected:
  void SetUp() override {
    backend_ = keeping_backend();
    if (!backend_) GTEST_SKIP() << "no CUDA device";
    plain_ = keeping_backend();
  }
  ParticleKeeper& keeper() { return *backend_->particle_keeper(); }
  std::unique_ptr<ForceBackend> backend_, plain_;
};

TEST_F(KeptBlockSteps, MoveAsOnTheHost) {
  ParticleStore kept = sphere_particles(30001);
  for (std::size_t i = 0; i < kept.size(); ++i) kept.long_range[i] = {0.1F * static_cast<float>(i % 5), 0.2F, -0.3F};
  GravitySolver(kept_options(Mac::barnes90), *backend_).accelerate(kept, kept_law);
  ParticleStore host = kept;
  ASSERT_TRUE(keeper().keep(kept));
  const RungCriterion criterion{0.5, 0.05, 0.001};
  PerRung<double> factor{};
  for (int k = 0; k < rung_count; ++k) factor[static_cast<std::size_t>(k)] = 0.01 / (1 + k);
  for (const int synchronised : {0, 2}) {
    EXPECT_EQ(keeper().assign_rungs(criterion, block_background, synchronised),
              assign_rungs(host, criterion, block_background, synchronised));
    keeper().move(KickLongRange{0.003});
    kick_long_range(host, 0.003);
    keeper().move(KickRungs{factor, block_background, 1});
    kick_rungs(host, factor, block_background, 1);
    keeper().move(DriftAlone{0.02});
    drift(host, 0.02);
    keeper().move(WrapIntoBox{0.7});
    wrap(host, 0.7);
    keeper().copy_home(Copied::all);
    expect_equal_arrays(kept, host);
  }
  EXPECT_GT(std::ranges::count(host.rung, host.rung[0]), 0);
  keeper().forget();
}

TEST_F(KeptBlockSteps, FindAPullThatIsNotFinite) {
  ParticleStore kept = test::on_rungs(30000, 0.02);
  kept.acceleration[20000] = {0, INFINITY, 0};
  ASSERT_TRUE(keeper().keep(kept));
  EXPECT_THROW(keeper().assign_rungs({1, 1, 0}, 0, 0), Error);
  keeper().forget();
}

/// A new tree for the active particles: forces of walks made by the host, and nothing else changes.
TEST_F(KeptBlockSteps, GiveActiveParticlesTheForcesOfTheHostsWalks) {
  for (const Mac mac : {Mac::barnes90, Mac::relative}) {
    GravitySolver solver(kept_options(mac), *backend_), host_solver(kept_options(mac), *plain_);
    ParticleStore kept = sphere_particles(40000);
    solver.accelerate(kept, kept_law);
    ParticleStore host = kept;
    ASSERT_TRUE(keeper().keep(kept));
    keeper().move(KickAndDrift{0, 0, 0.01});
    kick_and_drift(host, 0, 0, 0.01);
    for (Vec3f& g : host.long_range) ASSERT_EQ(g, Vec3f{});
    const ForceContext active{.least_rung = 3};
    const RawCount raw = solver.accelerate(kept, kept_law, active).raw;
    const RawCount expected = host_solver.accelerate(host, kept_law, active).raw;
    EXPECT_GT(raw.total(), 0U);
    EXPECT_NEAR(static_cast<double>(raw.total()) / static_cast<double>(expected.total()), 1, 1e-4);
    ASSERT_TRUE(keeper().keeps(kept));
    keeper().copy_home(Copied::all);
    double worst = 0;
    std::size_t others = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const Vec3d truth(host.acceleration[i]);
      worst = larger_error(worst, norm(Vec3d(kept.acceleration[i]) - truth) / norm(truth));
      others += host.rung[i] < 3 && kept.acceleration[i] != host.acceleration[i] ? 1 : 0;
    }
    EXPECT_EQ(others, 0U);
    EXPECT_LT(worst, mac == Mac::relative ? 2e-4 : 1e-6);
    keeper().forget();
  }
}

struct Percentiles {
  double median = 0, p99 = 0;
};

/// Differences of the accelerations of rung 3 and deeper from `truth`, relative to the rms of these.
Percentiles errors_of_active(const ParticleStore& store, const ParticleStore& truth) {
  std::vector<double> error;
  double square = 0;
  for (std::size_t i = 0; i < store.size(); ++i) {
    if (store.rung[i] < 3) continue;
    const Vec3d exact(truth.acceleration[i]);
    error.push_back(norm(Vec3d(store.acceleration[i]) - exact));
    square += norm2(exact);
  }
  const double rms = std::sqrt(square / static_cast<double>(error.size()));
  std::ranges::sort(error);
  return {error[error.size() / 2] / rms, error[error.size() * 99 / 100] / rms};
}

/// Errors after particles have drifted through several cells; the reference: walks with a hundredth of alpha.
void expect_followed(ForceBackend& backend, ParticleStore kept, const PairLaw& law, double drift_factor) {
  const GravityOptions options = kept_options(Mac::relative);
  GravitySolver solver(options, backend), exact(kept_options(Mac::relative, 3e-5), backend);
  ParticleKeeper& keeper = *backend.particle_keeper();
  exact.accelerate(kept, law);
  std::ranges::fill(kept.long_range, Vec3f{});
  ParticleStore renewed = kept, truth = kept;
  std::uint64_t pairs[2];
  for (const bool new_tree : {false, true}) {
    ParticleStore& store = new_tree ? renewed : kept;
    ASSERT_TRUE(keeper.keep(store));
    solver.accelerate(store, law);
    keeper.move(DriftAlone{drift_factor});
    if (new_tree && law.box_size > 0) keeper.move(WrapIntoBox{law.box_size});
    pairs[new_tree ? 1 : 0] = solver.accelerate(store, law, {.least_rung = 3, .new_tree = new_tree}).raw.total();
    keeper.copy_home(Copied::all);
    keeper.forget();
  }
  drift(truth, drift_factor);
  if (law.box_size > 0) wrap(truth, law.box_size);
  exact.accelerate(truth, law);
  const Percentiles followed = errors_of_active(kept, truth), fresh = errors_of_active(renewed, truth);
  std::printf("drift %.3g: errors (median, 99%%) %.2e, %.2e; of a new tree %.2e, %.2e; %.3f times its pairs\n",
              drift_factor, followed.median, followed.p99, fresh.median, fresh.p99,
              static_cast<double>(pairs[0]) / static_cast<double>(pairs[1]));
  EXPECT_LT(followed.median, 1.15 * fresh.median);
  EXPECT_LT(followed.p99, 1.15 * fresh.p99);
  EXPECT_LT(fresh.p99, 2e-3);
  EXPECT_GT(pairs[0], pairs[1]);
}

TEST_F(KeptBlockSteps, FollowTheirTreeInAVacuum) {
  for (const double factor : {1e-3, 3e-3, 1e-2}) expect_followed(*backend_, sphere_particles(60000), kept_law, factor);
}

/// Through the faces of the box, too.
TEST_F(KeptBlockSteps, FollowTheirTreeInABox) {
  for (const double factor : {1e-4, 1e-3, 1e-2}) expect_followed(*backend_, box_particles(60000), box_law(), factor);
}

/// A tree that follows particles that have not moved gives the forces of the tree itself.
TEST_F(KeptBlockSteps, FollowNothingExactly) {
  const GravityOptions options = kept_options(Mac::barnes90);
  GravitySolver solver(options, *backend_);
  ParticleStore kept = test::on_rungs(40000, 0.02);
  solver.accelerate(kept, kept_law);
  ASSERT_TRUE(keeper().keep(kept));
  solver.accelerate(kept, kept_law);
  const RawCount renewed = solver.accelerate(kept, kept_law, {.least_rung = 3}).raw;
  keeper().copy_home(Copied::all);
  const ParticleStore expected = kept;
  const RawCount followed = solver.accelerate(kept, kept_law, {.least_rung = 3, .new_tree = false}).raw;
  keeper().copy_home(Copied::all);
  EXPECT_NEAR(static_cast<double>(followed.total()) / static_cast<double>(renewed.total()), 1, 1e-3);
  double worst = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Vec3d truth(expected.acceleration[i]);
    worst = larger_error(worst, norm(Vec3d(kept.acceleration[i]) - truth) / norm(truth));
  }
  EXPECT_LT(worst, 1e-3);
  keeper().forget();
}

/// Between blocks a device frees what it computes again for the next walks, here to measure a power spectrum.
TEST_F(KeptBlockSteps, FollowTheirTreeAfterItsMomentsWereFreed) {
  const GravityOptions options = kept_options(Mac::relative);
  GravitySolver solver(options, *backend_);
  std::vector<ParticleStore> found;
  found.reserve(2);  // kept stores stay where they are
  const std::vector<double> factor(17, 1.0);
  ParticleStore start = box_particles(50000);
  solver.accelerate(start, box_law());
  for (const bool measured : {false, true}) {
    ParticleStore& kept = found.emplace_back(start);
    ASSERT_TRUE(keeper().keep(kept));
    solver.accelerate(kept, box_law());
    if (measured) {
      ASSERT_TRUE(keeper().sum_shells(1, {.cells = 32, .assignment = Assignment::pcs, .factor = factor}, nullptr));
    }
    keeper().move(DriftAlone{1e-3});
    solver.accelerate(kept, box_law(), {.least_rung = 3, .new_tree = false});
    keeper().copy_home(Copied::all);
    keeper().forget();
  }
  expect_equal_arrays(found[0], found[1]);
}

/// A tree is not that of particles which have been brought home, sorted otherwise and kept again.
TEST_F(KeptBlockSteps, GrowANewTreeForParticlesKeptAgain) {
  const GravityOptions options = kept_options(Mac::relative);
  GravitySolver solver(options, *backend_), other_solver(options, *plain_);
  ParticleStore again = box_particles(50000);
  solver.accelerate(again, box_law());
  ASSERT_TRUE(keeper().keep(again));
  solver.accelerate(again, box_law());
  keeper().copy_home(Copied::all);
  keeper().forget();
  std::vector<std::uint32_t> order(again.size());
  std::iota(order.rbegin(), order.rend(), 0U);
  again.reorder(order);
  ParticleStore other = again;
  ASSERT_TRUE(keeper().keep(again));
  ASSERT_TRUE(plain_->particle_keeper()->keep(other));
  solver.accelerate(again, box_law(), {.least_rung = 3, .new_tree = false});
  other_solver.accelerate(other, box_law(), {.least_rung = 3, .new_tree = false});
  keeper().copy_home(Copied::all);
  plain_->particle_keeper()->copy_home(Copied::all);
  expect_equal_arrays(again, other);
  keeper().forget();
  plain_->particle_keeper()->forget();
}

/// Pairs and mesh of a box: the same bits as for a store of the host.
TEST_F(KeptBlockSteps, HaveTheForcesOfABox) {
  const GravityOptions options = kept_options(Mac::relative);
  GravitySolver solver(options, *backend_), host_solver(options, *plain_);
  LongRangeMesh mesh(box_mesh(), *backend_), host_mesh(box_mesh(), *plain_);
  ParticleStore kept = box_particles(50000);
  solver.accelerate(kept, box_law(), {.long_range = &mesh});
  ParticleStore host = kept;
  ASSERT_TRUE(keeper().keep(kept));
  for (int step = 0; step < 2; ++step) {
    keeper().move(DriftAlone{1e-3});
    drift(host, 1e-3);
    keeper().move(WrapIntoBox{1});
    wrap(host, 1);
    const RawCount raw = solver.accelerate(kept, box_law(), {.long_range = &mesh}).raw;
    EXPECT_EQ(raw.total(), host_solver.accelerate(host, box_law(), {.long_range = &host_mesh}).raw.total());
    ASSERT_TRUE(keeper().keeps(kept));
    keeper().copy_home(Copied::all);
    const ParticleStore a = test::in_order_of_ids(kept), b = test::in_order_of_ids(host);
    expect_equal_arrays(a, b);
    EXPECT_TRUE(std::ranges::equal(a.potential, b.potential));
    keeper().move(KickRungs{{0.1, 0.1, 0.1, 0.1}, 0, 0});
    kick_rungs(host, {0.1, 0.1, 0.1, 0.1}, 0, 0);
  }
  keeper().forget();
}

/// Equal keys lie in the order of the store, so that a restarted run has the same trees.
TEST_F(KeptBlockSteps, ForgetTheOrderOfEarlierSteps) {
  ParticleStore first = sphere_particles(30000);
  for (std::size_t i = 0; i < 3000; ++i) first.position[i] = first.position[3 * (i % 20) + 10000];
  const GravityOptions options = kept_options(Mac::barnes90);
  GravitySolver solver(options, *backend_);
  solver.accelerate(first, kept_law);
  ASSERT_TRUE(keeper().keep(first));
  for (int step = 0; step < 3; ++step) {
    keeper().move(DriftAlone{0.01});
    solver.accelerate(first, kept_law);
  }
  keeper().copy_home(Copied::all);
  ParticleStore second = first;
  ASSERT_TRUE(keeper().keep(second));
  solver.accelerate(second, kept_law);
  keeper().copy_home(Copied::all);
  EXPECT_TRUE(std::ranges::equal(first.acceleration, second.acceleration));
  EXPECT_TRUE(std::ranges::equal(first.potential, second.potential));
  keeper().forget();
}

}  // namespace
}  // namespace multiwalk::device_test
