// SPDX-License-Identifier: GPL-3.0-or-later
// Maps of the sky to which a device adds the particles that it keeps: the same numbers as the host's.
#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

#include "host/force/particle_keeper.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/device/kept/kept_backend.hpp"
#include "tests/support/sky/passage_cases.hpp"
#include "tests/support/sky/sky_counter_on_host.hpp"

namespace multiwalk::device_test {
namespace {

constexpr std::uint32_t kept_nside = 256;

struct WholeMap {
  explicit WholeMap(std::size_t nside = kept_nside) : counts(12 * nside * nside), velocities(counts.size()) {}

  std::vector<std::uint32_t> counts;
  std::vector<std::int64_t> velocities;

  bool take(SkyCounter& from, std::uint32_t shell) {
    return from.take(shell,
                     [&](std::uint64_t first, std::span<const std::uint32_t> n, std::span<const std::int64_t> v) {
                       std::ranges::copy(n, counts.begin() + static_cast<std::ptrdiff_t>(first));
                       std::ranges::copy(v, velocities.begin() + static_cast<std::ptrdiff_t>(first));
                     });
  }
  [[nodiscard]] std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const std::uint32_t n : counts) sum += n;
    return sum;
  }
};

bool in_place_order(const Crossing& a, const Crossing& b) {
  const auto key = [](const Crossing& c) { return std::tuple(c.position.x, c.position.y, c.position.z, c.momentum.x); };
  return key(a) < key(b);
}

SkySearch sky_search(const test::PassageCase& c) {
  const LightPath light(Expansion(CosmologyParameters{}), c.drift);
  return CrossingFinder(c.view, c.period, c.near, c.far, c.replicas).search(light, c.drift.factor);
}

/// Three shells of the distances in the drift, and one that the light does not reach.
std::vector<SkyRange> sky_ranges(const SkySearch& search) {
  const double begin = search.rules.least, step = (search.rules.most - begin) / 3;
  return {{7, begin - 1, begin + step},
          {3, begin + step, begin + 2 * step},
          {5, begin + 2 * step, begin + 4 * step},
          {1, begin + 4 * step, begin + 9 * step}};
}

class KeptSkyMaps : public testing::Test {
 protected:
  void SetUp() override {
    backend_ = keeping_backend();
    if (!backend_) GTEST_SKIP() << "no CUDA device";
  }
  ParticleKeeper& keeper() { return *backend_->particle_keeper(); }
  SkyCounter& counter() { return *backend_->sky_counter(); }
  /// Keeps the particles, in the device's key order. The store is up to date.
  void keep(ParticleStore& store) {
    ASSERT_TRUE(keeper().keep(store));
    GravitySolver(kept_options(Mac::barnes90), *backend_, 2).accelerate(store, kept_law);
    ASSERT_TRUE(keeper().keeps(store));
    keeper().copy_home(Copied::all);
  }
  /// Two drifts, the second of them the same. Returns how many crossings were in doubt.
  std::size_t expect_maps_of(const test::PassageCase& c, const ParticleStore& store, bool velocities) {
    const SkySearch search = sky_search(c);
    const std::vector<SkyRange> ranges = sky_ranges(search);
    test::SkyCounterOnHost host(store);
    std::size_t in_doubt = 0;
    for (int drift = 0; drift < 2; ++drift) {
      EXPECT_TRUE(counter().open(ranges, {kept_nside, velocities}));
      EXPECT_TRUE(host.open(ranges, {kept_nside, velocities}));
      UncountedCrossings left = counter().count(search), expected = host.count(search);
      std::ranges::sort(left.in_doubt, in_place_order);
      std::ranges::sort(expected.in_doubt, in_place_order);
      EXPECT_TRUE(std::ranges::equal(left.in_doubt, expected.in_doubt, test::same_bytes)) << c.name;
      EXPECT_EQ(left.fast.index, expected.fast.index) << c.name;
      EXPECT_TRUE(left.fast.position == expected.fast.position) << c.name;
      in_doubt += left.in_doubt.size();
    }
    std::uint64_t total = 0;
    for (const SkyRange& range : ranges) {
      WholeMap mine, expected;
      EXPECT_TRUE(mine.take(counter(), range.number));
      EXPECT_TRUE(expected.take(host, range.number));
      EXPECT_TRUE(mine.counts == expected.counts) << c.name << " shell " << range.number;
      EXPECT_TRUE(mine.velocities == expected.velocities) << c.name << " shell " << range.number;
      EXPECT_FALSE(mine.take(counter(), range.number)) << "it has been taken";
      total += mine.total();
    }
    EXPECT_EQ(total, host.counted) << c.name;
    EXPECT_GT(total + in_doubt, 100U) << c.name;
    return in_doubt;
  }
  std::unique_ptr<ForceBackend> backend_;
  std::vector<WholeMap> maps_;
};

TEST_F(KeptSkyMaps, AreTheHosts) {
  for (const test::PassageCase& c : test::passage_cases()) {
    ParticleStore store = test::passage_particles(60001, c.period, 300);
    ASSERT_TRUE(keeper().keep(store));
    expect_maps_of(c, store, true);
    keep(store);
    expect_maps_of(c, store, false);
    keeper().forget();
  }
}

/// Far more pixels than travel at a time.
TEST_F(KeptSkyMaps, OfManyPixels) {
  constexpr std::uint32_t fine = 1024;
  const test::PassageCase c = test::passage_cases().front();
  ParticleStore store = test::passage_particles(60001, c.period, 300);
  keep(store);
  const SkySearch search = sky_search(c);
  const std::vector<SkyRange> ranges = sky_ranges(search);
  test::SkyCounterOnHost host(store);
  for (SkyCounter* each : {&counter(), static_cast<SkyCounter*>(&host)}) {
    ASSERT_TRUE(each->open(ranges, {fine, true}));
    each->count(search);
    std::uint64_t total = 0;
    for (const SkyRange& range : ranges) {
      WholeMap& map = maps_.emplace_back(fine);
      ASSERT_TRUE(map.take(*each, range.number));
      total += map.total();
    }
    EXPECT_GT(total, 100U);
  }
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    EXPECT_TRUE(maps_[k].counts == maps_[k + ranges.size()].counts) << "shell " << ranges[k].number;
    EXPECT_TRUE(maps_[k].velocities == maps_[k + ranges.size()].velocities) << "shell " << ranges[k].number;
  }
  keeper().forget();
}

/// More copies than are on the device at a time, in a small box and a short drift.
TEST_F(KeptSkyMaps, InManyCopies) {
  const Expansion expansion(CosmologyParameters{});
  test::PassageCase c = test::passage_cases().front();
  c.period = 5;
  c.view = test::tilted_view({1, 2, 3}, SkyOpening::cone, 0.6);
  c.drift = {0.9, 0.90002, expansion.drift_factor(0.9, 0.90002)};
  ParticleStore store = test::passage_particles(20001, c.period, 300);
  keep(store);
  EXPECT_GT(sky_search(c).copies.size(), 4096U);
  expect_maps_of(c, store, true);
  keeper().forget();
}

/// On a meridian between base pixels all are in doubt, more than the device has room for at a time.
TEST_F(KeptSkyMaps, LeaveDoubtsToTheHost) {
  const test::PassageCase c = test::passage_cases().front();
  ParticleStore store = test::passage_particles(400001, c.period, 300);
  for (std::size_t i = 0; i < store.size(); ++i) {
    store.position[i].x = c.view.observer.x;
    store.velocity[i].x = 0;
  }
  keep(store);
  EXPECT_GT(expect_maps_of(c, store, true), 2 * 65536U);
  keeper().forget();
}

TEST_F(KeptSkyMaps, OutlastTheParticles) {
  const test::PassageCase c = test::passage_cases().front();
  ParticleStore store = test::passage_particles(30000, c.period, 300);
  keep(store);
  const std::vector<SkyRange> ranges = sky_ranges(sky_search(c));
  ASSERT_TRUE(counter().open(ranges, {kept_nside, false}));
  counter().count(sky_search(c));
  keeper().forget();
  WholeMap map;
  EXPECT_TRUE(map.take(counter(), ranges[0].number));
  EXPECT_GT(map.total(), 100U);
}

/// The maps would leave no room for the next evaluation.
TEST_F(KeptSkyMaps, AreRefusedWithoutRoom) {
  const auto small = keeping_backend(std::size_t{64} << 20);
  ParticleStore store = test::passage_particles(30000, 100, 300);
  ASSERT_TRUE(small->particle_keeper()->keep(store));
  SkyCounter& counter = *small->sky_counter();
  const std::vector<SkyRange> ranges = sky_ranges(sky_search(test::passage_cases().front()));
  EXPECT_FALSE(counter.open(ranges, {1024, true}));
  EXPECT_TRUE(counter.open(ranges, {64, true})) << "nothing was made";
  std::vector<SkyRange> many(17, ranges.front());
  for (std::uint32_t k = 0; k < many.size(); ++k) many[k].number = 100 + k;
  EXPECT_FALSE(counter.open(many, {64, true}));
  small->particle_keeper()->forget();
}

}  // namespace
}  // namespace multiwalk::device_test
