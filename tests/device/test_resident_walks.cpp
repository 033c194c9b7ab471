// SPDX-License-Identifier: GPL-3.0-or-later
// Walks made by the device are the host's: the same lists in the same order, and so the same forces bit for bit.
#include <algorithm>
#include <cstdio>

#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/active_targets.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/models.hpp"
#include "tests/support/periodic_models.hpp"

namespace multiwalk::device_test {
namespace {

constexpr PairLaw resident_law{1, 0.005, MultipoleOrder::quadrupole};

std::unique_ptr<ForceBackend> resident_backend(std::size_t memory_limit = 0) {
  CudaOptions options;
  options.device_walks = true;
  options.memory_limit = memory_limit;
  return backend_or_null(options);
}

struct Evaluated {
  ParticleStore store;  ///< in the order of ids
  RawCount raw;
};

Evaluated evaluated(ForceBackend& backend, ParticleStore store, const GravityOptions& options,
                    const PairLaw& law = resident_law) {
  const RawCount raw = GravitySolver(options, backend).accelerate(store, law).raw;
  return {test::in_order_of_ids(std::move(store)), raw};
}

void expect_same_counts(const RawCount& a, const RawCount& b) {
  EXPECT_EQ(a.particle_pairs, b.particle_pairs);
  EXPECT_EQ(a.cell_pairs, b.cell_pairs);
  EXPECT_EQ(a.expansions, b.expansions);
  EXPECT_EQ(a.walks, b.walks);
}

void expect_the_same(const Evaluated& a, const Evaluated& b) {
  expect_same_counts(a.raw, b.raw);
  EXPECT_TRUE(std::ranges::equal(a.store.acceleration, b.store.acceleration));
  EXPECT_TRUE(std::ranges::equal(a.store.potential, b.store.potential));
  EXPECT_TRUE(std::ranges::equal(a.store.work, b.store.work));
}

/// Relative errors of accelerations, the worst one and their root mean square.
struct Difference {
  double worst = 0, rms = 0;
};

Difference difference(const Evaluated& found, const Evaluated& expected) {
  Difference result;
  const std::size_t n = expected.store.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3d truth(expected.store.acceleration[i]);
    const double error = norm(Vec3d(found.store.acceleration[i]) - truth) / norm(truth);
    result.worst = larger_error(result.worst, error);
    result.rms += error * error / static_cast<double>(n);
  }
  result.rms = std::sqrt(result.rms);
  return result;
}

/// Plummer spheres of several sizes and densities, one of them with a dense core.
ParticleStore clusters(std::size_t n) {
  ParticleStore store = test::plummer(n, 3);
  const Vec3d centre[] = {{0, 0, 0}, {3, 1, 0}, {-2, 0.5, 4}, {0.3, 0, 0}};
  const double size[] = {1, 0.2, 0.5, 0.001};
  for (std::size_t i = 0; i < n; ++i) store.position[i] = centre[i % 4] + size[i % 4] * store.position[i];
  return store;
}

GravityOptions walk_options(Mac mac, MultipoleOrder order, int expansion, std::uint32_t group_size) {
  GravityOptions options;
  options.mac = mac;
  options.theta = 0.55;
  options.alpha = 0.002;
  options.multipole = order;
  options.expansion = expansion;
  options.group_size = group_size;
  return options;
}

class ResidentWalks : public testing::Test {
 protected:
  void SetUp() override {
    host_walks_ = backend_or_null();
    if (!host_walks_) GTEST_SKIP() << "no CUDA device";
    device_walks_ = resident_backend();
  }
  std::unique_ptr<ForceBackend> host_walks_, device_walks_;
};

TEST_F(ResidentWalks, AreAnOption) {
  EXPECT_EQ(host_walks_->device_walker(), nullptr);
  EXPECT_NE(device_walks_->device_walker(), nullptr);
}

TEST_F(ResidentWalks, AreTheHostsForEveryCriterion) {
  for (const ParticleStore& particles : {test::plummer(60000), clusters(60000)}) {
    for (const Mac mac : {Mac::barnes90, Mac::offset, Mac::relative}) {
      for (const MultipoleOrder order : {MultipoleOrder::quadrupole, MultipoleOrder::monopole}) {
        const GravityOptions options = walk_options(mac, order, 0, 64);
        expect_the_same(evaluated(*device_walks_, particles, options), evaluated(*host_walks_, particles, options));
      }
    }
  }
}

TEST_F(ResidentWalks, AreTheHostsWithExpansions) {
  for (const ParticleStore& particles : {test::plummer(60000), clusters(60000)}) {
    for (const Mac mac : {Mac::barnes90, Mac::relative}) {
      for (const int order : {3, 4, 5}) {
        const GravityOptions options = walk_options(mac, MultipoleOrder::quadrupole, order, 64);
        const Evaluated device = evaluated(*device_walks_, particles, options);
        EXPECT_GT(device.raw.expansions, 0U);
        expect_the_same(device, evaluated(*host_walks_, particles, options));
      }
    }
  }
}

TEST_F(ResidentWalks, AreTheHostsForSmallAndLargeGroups) {
  for (const std::uint32_t group_size : {1U, 8U, 16U, 500U, 3000U}) {
    const GravityOptions options = walk_options(Mac::barnes90, MultipoleOrder::quadrupole, 4, group_size);
    const ParticleStore particles = test::plummer(30000);
    expect_the_same(evaluated(*device_walks_, particles, options), evaluated(*host_walks_, particles, options));
  }
}

/// The kernel for large groups.
TEST_F(ResidentWalks, AreTheHostsForLargeGroups) {
  const GravityOptions options = walk_options(Mac::barnes90, MultipoleOrder::quadrupole, 4, 500);
  const ParticleStore particles = test::plummer(24000);
  expect_the_same(evaluated(*device_walks_, particles, options), evaluated(*host_walks_, particles, options));
}

/// If the device has little memory, lists exceed what a warp has at first.
TEST_F(ResidentWalks, AreTheHostsIfListsAreLong) {
  GravityOptions options = walk_options(Mac::barnes90, MultipoleOrder::quadrupole, 0, 64);
  options.theta = 0.2;
  options.leaf_size = 4;
  const ParticleStore particles = test::plummer(60000);
  const Evaluated host = evaluated(*host_walks_, particles, options);
  EXPECT_GT(host.raw.cell_pairs, 4096 * particles.size());
  expect_the_same(evaluated(*device_walks_, particles, options), host);
  expect_the_same(evaluated(*resident_backend(48'000'000), particles, options), host);
}

/// Groups wider than an eighth of the box are cut by the host.
TEST_F(ResidentWalks, AreTheHostsInAPeriodicBox) {
  const PairLaw law{43.0, 0.002, MultipoleOrder::quadrupole, 1, {0.02, 0.12}};
  for (const std::uint32_t group_size : {64U, 3000U}) {
    for (const Mac mac : {Mac::barnes90, Mac::relative}) {
      const GravityOptions options = walk_options(mac, MultipoleOrder::quadrupole, 4, group_size);
      const ParticleStore particles = test::clusters_at_faces(24000);
      const Evaluated device = evaluated(*device_walks_, particles, options, law);
      EXPECT_TRUE(group_size != 64U || device.raw.expansions > 0);
      expect_the_same(device, evaluated(*host_walks_, particles, options, law));
    }
  }
}

TEST_F(ResidentWalks, RepeatBitForBit) {
  const GravityOptions options = walk_options(Mac::relative, MultipoleOrder::quadrupole, 5, 100);
  const Evaluated first = evaluated(*device_walks_, clusters(50000), options);
  expect_the_same(first, evaluated(*device_walks_, clusters(50000), options));
  expect_the_same(first, evaluated(*resident_backend(), clusters(50000), options));
}

/// The trees differ in last bits, and so a few decisions.
TEST_F(ResidentWalks, GiveTheForcesOfTheCpu) {
  const auto cpu = make_simd_backend();
  for (const std::uint32_t group_size : {64U, 500U}) {
    for (const int order : {0, 4}) {
      const GravityOptions options = walk_options(Mac::barnes90, MultipoleOrder::quadrupole, order, group_size);
      const Evaluated host = evaluated(*cpu, clusters(50000), options);
      const Evaluated device = evaluated(*device_walks_, clusters(50000), options);
      const Difference error = difference(device, host);
      std::printf("groups of %u, order %d: device and CPU differ by %.1e rms, %.1e at worst\n", group_size, order,
                  error.rms, error.worst);
      EXPECT_LT(error.rms, 1e-4);
      EXPECT_LT(error.worst, 2e-2);
    }
  }
}

TEST_F(ResidentWalks, TakeSeveralLaunchesIfMemoryIsSmall) {
  GravityOptions options = walk_options(Mac::barnes90, MultipoleOrder::quadrupole, 4, 64);
  options.theta = 0.35;
  const ParticleStore particles = test::plummer(100000);
  const Evaluated roomy = evaluated(*device_walks_, particles, options);
  bool any = false;
  for (std::size_t limit = 14'000'000; limit < 40'000'000; limit += 2'000'000) {
    try {
      const auto cramped = resident_backend(limit);
      const Evaluated same = evaluated(*cramped, particles, options);
      EXPECT_LE(cramped->peak_device_memory(), limit);
      EXPECT_LT(difference(same, roomy).worst, 1e-2) << limit;
      any = true;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("CUDA device"), std::string::npos) << error.what();
    }
  }
  EXPECT_TRUE(any);
  expect_the_same(evaluated(*resident_backend(40'000'000), particles, options), roomy);
}

TEST_F(ResidentWalks, LeaveDeepRungsToTheHost) {
  for (const Mac mac : {Mac::barnes90, Mac::relative}) {
    test::expect_only_the_active(*device_walks_, mac, 0.001, 40000, false);
  }
}

TEST_F(ResidentWalks, LeaveFewParticlesToTheHost) {
  const GravityOptions options = walk_options(Mac::barnes90, MultipoleOrder::quadrupole, 4, 64);
  expect_the_same(evaluated(*device_walks_, test::plummer(1000), options),
                  evaluated(*host_walks_, test::plummer(1000), options));
}

}  // namespace
}  // namespace multiwalk::device_test
