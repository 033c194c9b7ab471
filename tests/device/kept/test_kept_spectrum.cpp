// SPDX-License-Identifier: GPL-3.0-or-later
// The power spectrum of particles that a device keeps against the host's.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analysis/power/power_spectrum.hpp"
#include "host/force/particle_keeper.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/device/kept/kept_backend.hpp"
#include "tests/device/kept/ranks_of_threads.hpp"
#include "tests/device/mesh_cases.hpp"
#include "tests/support/larger_error.hpp"

namespace multiwalk::device_test {
namespace {

constexpr std::size_t enough = 30000;  // to be kept

std::optional<PowerSpectrum> kept_power(ParticleKeeper& keeper, std::size_t particles, const PowerOptions& options,
                                        TreeExchange* others = nullptr) {
  return power_of_shells(particles, mesh_side, options,
                         [&](const ShellOptions& shells) { return keeper.sum_shells(mesh_side, shells, others); });
}

PowerSpectrum host_power(const ParticleStore& store, const PowerOptions& options) {
  return measure_power({store.position, store.mass, mesh_side}, options);
}

/// A lattice of n^3 particles that a few waves displace a little: most modes are nearly empty.
ParticleStore early_box(std::size_t n) {
  ParticleStore store;
  store.resize(n * n * n);
  for (std::size_t i = 0; i < store.size(); ++i) {
    const Vec3d cell{static_cast<double>(i / (n * n)), static_cast<double>(i / n % n), static_cast<double>(i % n)};
    const Vec3d q = (1 / static_cast<double>(n)) * cell;
    const auto wave = [](double phase) { return 1e-3 * std::sin(2 * M_PI * phase); };
    const Vec3d x = q + Vec3d{wave(q.x + 2 * q.y), wave(3 * q.y - q.z), wave(4 * q.z + 5 * q.x)};
    for (int axis = 0; axis < 3; ++axis) store.position[i][axis] = mesh_side * (x[axis] - std::floor(x[axis]));
    store.mass[i] = 1;
  }
  return store;
}

/// Powers agree to `tolerance` or, in nearly empty bins, to the noise that the host leaves by rounding each share of
/// mass to 2^-51 of all mass.
void expect_same(const PowerSpectrum& device, const PowerSpectrum& host, double tolerance) {
  ASSERT_EQ(device.bins.size(), host.bins.size());
  EXPECT_EQ(device.particles, host.particles);
  EXPECT_EQ(device.mesh, host.mesh);
  EXPECT_NEAR(device.shot_noise / host.shot_noise, 1, 1e-12);
  double largest = 0, worst = 0;
  for (const PowerBin& bin : host.bins) largest = std::max(largest, bin.power);
  for (std::size_t b = 0; b < host.bins.size(); ++b) {
    const PowerBin &d = device.bins[b], &h = host.bins[b];
    EXPECT_EQ(d.fold, h.fold);
    EXPECT_EQ(d.shell, h.shell);
    EXPECT_EQ(d.modes, h.modes) << h.shell;
    EXPECT_NEAR(d.k / h.k, 1, 1e-12) << h.shell;
    const double error = std::fabs(d.power - h.power);
    EXPECT_LE(error, tolerance * h.power + 1e-12 * largest) << h.fold << ' ' << h.shell;
    if (h.power > 1e-9 * largest) worst = larger_error(worst, error / h.power);
  }
  std::printf("spectra of device and host differ by %.2e\n", worst);
}

class KeptSpectrum : public testing::TestWithParam<PowerOptions> {
 protected:
  void SetUp() override {
    if (!backend_or_null()) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_P(KeptSpectrum, IsTheHosts) {
  const auto backend = keeping_backend();
  ParticleKeeper& keeper = *backend->particle_keeper();
  for (ParticleStore store : {clustered(enough), early_box(30)}) {
    const PowerSpectrum host = host_power(store, GetParam());
    ASSERT_TRUE(keeper.keep(store));
    const std::optional<PowerSpectrum> device = kept_power(keeper, store.size(), GetParam());
    ASSERT_TRUE(device);
    expect_same(*device, host, 1e-6);
    keeper.forget();
  }
}

TEST_P(KeptSpectrum, OfSeveralRanksIsTheHosts) {
  const ParticleStore all = clustered(3 * enough);
  const PowerSpectrum host = host_power(all, GetParam());
  constexpr std::size_t ends[] = {0, enough - 5000, 2 * enough, 3 * enough};
  test::SharedBoard board(3);
  test::on_ranks(3, [&](std::size_t rank) {
    test::ThreadTrees trees(board, rank);
    const auto backend = keeping_backend();
    ParticleStore own = part_of(all, ends[rank], ends[rank + 1]);
    ASSERT_TRUE(backend->particle_keeper()->keep(own));
    const auto device = kept_power(*backend->particle_keeper(), all.size(), GetParam(), trees.exchange());
    ASSERT_TRUE(device);
    if (rank == 1) expect_same(*device, host, 1e-6);
    backend->particle_keeper()->forget();
  });
}

// Meshes with and without common factors with the tiles, odd, smaller than a tile, and with more shells than a block's
// 128 threads.
INSTANTIATE_TEST_SUITE_P(All, KeptSpectrum,
                         testing::Values(PowerOptions{.mesh = 64, .folds = 2},
                                         PowerOptions{.mesh = 45, .interlacing = false, .folds = 1},
                                         PowerOptions{.mesh = 8}, PowerOptions{.mesh = 20, .interlacing = false},
                                         PowerOptions{.mesh = 30, .folds = 3}, PowerOptions{.mesh = 270}));

/// After forces the device has its own order, and the store is out of date.
TEST(KeptSpectrumOfABox, FollowsTheParticles) {
  const auto backend = keeping_backend();
  if (!backend) GTEST_SKIP() << "no CUDA device";
  ParticleKeeper& keeper = *backend->particle_keeper();
  const PowerOptions options{.mesh = 48, .folds = 1};
  ParticleStore store = clustered(enough);
  for (std::size_t i = 0; i < store.size(); ++i) {
    store.velocity[i] = {static_cast<float>(i % 3), static_cast<float>(i % 11), -2};
  }
  GravityOptions walks;
  walks.group_size = 100;
  GravitySolver solver(walks, *backend, 2);
  const PowerSpectrum before = host_power(store, options);
  ASSERT_TRUE(keeper.keep(store));
  solver.accelerate(store, law_of(0.1));
  keeper.move(DriftAlone{0.05});  // across faces: not wrapped yet
  const std::optional<PowerSpectrum> device = kept_power(keeper, store.size(), options);
  const std::optional<PowerSpectrum> again = kept_power(keeper, store.size(), options);
  ASSERT_TRUE(device && again);
  expect_same(host_power(store, options), before, 0);  // the store was not touched
  keeper.copy_home(Copied::all);
  const PowerSpectrum after = host_power(store, options);
  expect_same(*device, after, 1e-6);
  EXPECT_GT(std::fabs(after.bins[5].power / before.bins[5].power - 1), 1e-3);
  for (std::size_t b = 0; b < device->bins.size(); ++b) EXPECT_EQ(device->bins[b].power, again->bins[b].power);
  keeper.forget();
}

TEST(KeptSpectrumOfABox, IsLeftToTheHostIfItCannotBe) {
  const auto backend = keeping_backend(), small = keeping_backend(std::size_t{24} << 20);
  if (!backend) GTEST_SKIP() << "no CUDA device";
  ParticleStore store = clustered(enough);
  ASSERT_TRUE(small->particle_keeper()->keep(store));
  EXPECT_TRUE(kept_power(*small->particle_keeper(), store.size(), {.mesh = 32}));
  EXPECT_FALSE(kept_power(*small->particle_keeper(), store.size(), {.mesh = 128}));
  EXPECT_LE(small->peak_device_memory(), std::size_t{24} << 20);
  EXPECT_TRUE(kept_power(*small->particle_keeper(), store.size(), {.mesh = 32}));
  small->particle_keeper()->forget();
  ParticleKeeper& keeper = *backend->particle_keeper();
  ASSERT_TRUE(keeper.keep(store));
  EXPECT_TRUE(kept_power(keeper, store.size(), {.mesh = 128}));
  EXPECT_FALSE(kept_power(keeper, store.size(), {.mesh = 32, .assignment = Assignment::tsc}));
  keeper.forget();
  store.mass[77] = -1;
  ASSERT_TRUE(keeper.keep(store));
  EXPECT_FALSE(kept_power(keeper, store.size(), {.mesh = 32}));
  keeper.forget();
}

}  // namespace
}  // namespace multiwalk::device_test
