// SPDX-License-Identifier: GPL-3.0-or-later
// Particles that a device keeps leave for other ranks and arrive from them: it then holds what the store would.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <unordered_map>

#include "device/particles/packed_stray.hpp"
#include "host/force/particle_keeper.hpp"
#include "host/solver/gravity_solver.hpp"
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

/// Makes everything wrong but ids and masses: nobody may read it.
void spoil(ParticleStore& store) {
  const ParticleStore good = store;
  for (std::size_t i = 0; i < store.size(); ++i) fill(store, i, 5 * i + 1);
  store.id = good.id;
  store.mass = good.mass;
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

/// As a store would hold them; ids and masses are those of the store.
void unpack(const PackedStray& one, ParticleStore& store, std::size_t i) {
  store.position[i] = one.position;
  store.velocity[i] = one.velocity;
  store.acceleration[i] = one.acceleration;
  if (!store.has_rungs()) return;
  store.long_range[i] = one.long_range;
  store.rung[i] = static_cast<std::uint8_t>(one.rung);
}
PackedStray pack(const ParticleStore& store, std::size_t i) {
  const bool rungs = store.has_rungs();
  return {store.position[i],
          store.velocity[i],
          store.acceleration[i],
          rungs ? store.long_range[i] : Vec3f{},
          store.mass[i],
          rungs ? store.rung[i] : std::uint32_t{0},
          0};
}
std::span<const PackedStray> packed_on_host(ParticleKeeper& keeper) {
  const std::span<const std::byte> bytes = keeper.strays_through_host(0).leaving;
  return {reinterpret_cast<const PackedStray*>(bytes.data()), bytes.size() / sizeof(PackedStray)};
}

/// Two domains, of which the second one begins at y = face.
struct TwoDomains {
  double face;
  [[nodiscard]] DomainCuts cuts() const { return {1, 2, 1, nullptr, &face, nullptr}; }
  [[nodiscard]] Box first() const { return {{-infinite, -infinite, -infinite}, {infinite, face, infinite}}; }
  [[nodiscard]] Box second() const { return {{-infinite, face, -infinite}, {infinite, infinite, infinite}}; }
};
constexpr DomainCuts one_domain;

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
    keeper().move(KickAndDrift{0.01, 0, 0.01});
    GravitySolver(stray_options(), *backend_, 2).accelerate(store, kept_law);
    EXPECT_TRUE(keeper().keeps(store));
    keeper().copy_home(Copied::all);
    return store;
  }
  /// Drifts, returns strays and lets others arrive (none given: as many), on the device and on the host.
  void exchange_both(ParticleStore& kept, ParticleStore& host, double face, std::optional<std::size_t> coming) {
    keeper().move(DriftAlone{0.02});
    drift(host, 0.02);
    const TwoDomains domains{face};
    const PackedStrays packed = keeper().pack_strays(domains.first(), domains.cuts(), shared_ = !shared_);
    const std::vector<std::uint32_t> strays(packed.index.begin(), packed.index.end());
    const StoreChange change = plan_exchange(strays, coming.value_or(strays.size()), kept.size());
    EXPECT_EQ(strays, strays_of(host, domains.first()));
    next_id_ += 1000000;
    exchange(kept, change, next_id_);
    exchange(host, change, next_id_);
    const std::span<std::byte> room = keeper().strays_through_host(change.arrived.size()).arriving;
    ASSERT_EQ(room.size(), change.arrived.size() * sizeof(PackedStray));
    for (std::size_t k = 0; k < change.arrived.size(); ++k) {
      reinterpret_cast<PackedStray*>(room.data())[k] = pack(host, change.arrived[k]);
    }
    spoil(kept);
    keeper().follow_exchange(change, {});
  }
  bool shared_ = false;
  std::unique_ptr<ForceBackend> backend_, plain_;
  std::uint64_t next_id_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Rungs, KeptStrays, testing::Bool());

/// Nothing is written to the store.
TEST_P(KeptStrays, ArePackedByOwner) {
  ParticleStore store = stray_particles(60000, GetParam());
  ParticleStore host = begin(store);
  const ParticleStore before = store;
  keeper().move(DriftAlone{0.02});
  drift(host, 0.02);
  const std::vector<double> x{-0.4, 0.1}, y{-0.1, 0.2, -0.3, 0, 0.1, 0.3}, z{0.05, 0.05, -0.2, 0, 0.1, 0.2, 0, 0, 0};
  const DomainCuts cuts{3, 3, 2, x.data(), y.data(), z.data()};
  const Box domain{{-0.4, 0, 0.2}, {0.1, infinite, infinite}};  // of rank 11
  std::vector<std::vector<std::uint32_t>> of_rank(19);
  const std::vector<std::uint32_t> strays = strays_of(host, domain);
  for (const std::uint32_t i : strays) of_rank[cuts.owner(host.position[i])].push_back(i);
  EXPECT_GT(strays.size(), 20000U);  // more than are copied at a time
  for (const bool shared : {false, true, true}) {
    const PackedStrays packed = keeper().pack_strays(domain, cuts, shared);
    EXPECT_TRUE(std::ranges::equal(packed.index, strays));
    ASSERT_EQ(packed.first.size(), 20U);
    ASSERT_EQ(packed.each, sizeof(PackedStray));
    EXPECT_EQ(packed.address != StrayAddress{}, shared);
    const std::span<const PackedStray> home = packed_on_host(keeper());
    ASSERT_EQ(home.size(), strays.size());
    ParticleStore unpacked = before;
    for (std::size_t r = 0; r < 19; ++r) {
      const auto mine = packed.by_rank.subspan(packed.first[r], packed.first[r + 1] - packed.first[r]);
      EXPECT_TRUE(std::ranges::equal(mine, of_rank[r])) << r;
    }
    for (std::size_t k = 0; k < home.size(); ++k) {
      unpack(home[k], unpacked, packed.by_rank[k]);
      ASSERT_EQ(home[k].mass, store.mass[packed.by_rank[k]]);
    }
    ParticleStore expected = before;
    for (const std::uint32_t i : strays) expected.position[i] = host.position[i];
    expect_same_forces(unpacked, expected);
    expect_same_forces(store, before);
  }
  EXPECT_TRUE(keeper().pack_strays(everywhere, one_domain, true).index.empty());
  EXPECT_TRUE(keeper().strays_through_host(0).leaving.empty());
  keeper().forget();
}

/// Two ranks in one process, whose devices read each other's memory; one of them has the more to send.
TEST_P(KeptStrays, AreReadByOtherDevices) {
  const TwoDomains domains{0.1};
  const auto other = keeping_backend();
  ParticleKeeper* const keeper_of[] = {&keeper(), other->particle_keeper()};
  ParticleStore store[] = {stray_particles(60000, GetParam()), {}}, host[2];
  store[1] = store[0];
  for (std::size_t i = 0; i < store[1].size(); ++i) fill(store[1], i, 100000 + i);
  for (const int r : {0, 1}) {
    ASSERT_TRUE(keeper_of[r]->keep(store[r]));
    host[r] = store[r];
  }
  std::vector<StrayAddress> opened;
  for (const double way : {0.02, 0.01, 0.0, 0.3, -0.2, 0.02}) {
    PackedStrays packed[2];
    for (const int r : {0, 1}) {
      keeper_of[r]->move(DriftAlone{way});
      drift(host[r], way);
      packed[r] = keeper_of[r]->pack_strays(r == 0 ? domains.first() : domains.second(), domains.cuts(), true);
    }
    const std::vector<StrayAddress> addresses{packed[0].address, packed[1].address};
    for (std::size_t r = 0; r < 2 && addresses != opened; ++r) ASSERT_TRUE(keeper_of[r]->open_strays(addresses, r));
    opened = addresses;
    const ParticleStore former[] = {host[0], host[1]};
    for (const std::size_t r : {0, 1}) {
      const PackedStrays& theirs = packed[1 - r];
      const std::size_t coming = theirs.by_rank.size();
      const StoreChange change = plan_exchange(packed[r].index, coming, store[r].size());
      for (ParticleStore* s : {&store[r], &host[r]}) {
        exchange(*s, change, 0);
        for (std::size_t k = 0; k < coming; ++k) {
          const std::uint32_t from = theirs.by_rank[k], to = change.arrived[k];
          s->id[to] = former[1 - r].id[from];
          s->mass[to] = former[1 - r].mass[from];
          unpack(pack(former[1 - r], from), *s, to);
        }
      }
      spoil(store[r]);
      std::vector<StrayBlock> blocks;
      if (coming > 0) blocks.push_back({1 - r, theirs.offset, coming});
      keeper_of[r]->follow_exchange(change, blocks);
    }
  }
  for (const std::size_t r : {0, 1}) {
    ASSERT_TRUE(keeper_of[r]->keeps(store[r]));
    keeper_of[r]->copy_home(Copied::all);
    expect_same_particles(store[r], host[r]);
    keeper_of[r]->forget();
  }
}

/// More arrive than leave, as many, fewer, none, only some, and nothing happens; then forces.
TEST_P(KeptStrays, AreFollowedByThoseWhoArrive) {
  struct Case {
    double face;
    std::optional<std::size_t> coming;
  };
  for (const Case& c : {Case{0.5, 9000}, Case{0.4, std::nullopt}, Case{0.3, 300}, Case{0.3, 0}, Case{infinite, 77},
                        Case{infinite, 60000}, Case{infinite, 0}}) {
    ParticleStore store = stray_particles(60000, GetParam());
    ParticleStore host = begin(store);
    for (int round = 0; round < 3; ++round) {
      exchange_both(store, host, c.face, c.coming);
      ASSERT_TRUE(keeper().keeps(store));
      if (round == 1) continue;
      keeper().copy_home(Copied::all);
      expect_same_particles(store, host);
    }
    GravitySolver(stray_options(), *backend_, 2).accelerate(store, kept_law);
    GravitySolver(stray_options(), *plain_, 2).accelerate(host, kept_law);
    ASSERT_TRUE(keeper().keeps(store));
    keeper().copy_home(Copied::all);
    expect_same_forces(test::in_order_of_ids(store), test::in_order_of_ids(host));
    keeper().forget();
  }
}

TEST_P(KeptStrays, ComeAndGoInEveryStep) {
  ParticleStore store = stray_particles(50000, GetParam());
  ParticleStore host = begin(store);
  GravitySolver solver(stray_options(), *backend_, 2), host_solver(stray_options(), *plain_, 2);
  for (const std::size_t coming : {4000, 0, 12000, 100, 3000}) {
    exchange_both(store, host, 0.6, coming);
    solver.accelerate(store, kept_law);
    host_solver.accelerate(host, kept_law);
    put_in_order(host, store.id);
    ASSERT_TRUE(keeper().keeps(store));
    keeper().move(KickAndDrift{0.01, 0, 0.01});
    kick_and_drift(host, 0.01, 0, 0.01);
  }
  keeper().copy_home(Copied::all);
  expect_same_forces(store, host);
  keeper().forget();
}

/// The host moves few particles faster.
TEST_P(KeptStrays, LeaveTheOthersAtHomeIfTheyAreFew) {
  ParticleStore store = stray_particles(30000, GetParam());
  ParticleStore host = begin(store);
  exchange_both(store, host, 0, 1000);
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
    exchange_both(store, host, 0.5, 150000);
    EXPECT_LE(backend_->peak_device_memory(), limit);
    if (keeper().keeps(store)) {
      ++kept;
      keeper().copy_home(Copied::all);
      keeper().forget();
    } else {
      ++not_kept;
    }
    expect_same_particles(store, host);
  }
  EXPECT_GT(kept, 0);
  EXPECT_GT(not_kept, 0);
}

/// The device has room for the particles, but not to sort those that leave: all of them come home as they are.
TEST_P(KeptStrays, AreNotPackedWithoutRoomToSortThem) {
  int fit = 0, not_fit = 0;
  const TwoDomains domains{-1};  // most leave
  for (std::size_t limit = 2'000'000; limit <= 16'000'000; limit += 200'000) {
    backend_ = keeping_backend(limit);
    ParticleStore store = stray_particles(60000, GetParam());
    if (!keeper().keep(store)) continue;
    ParticleStore host = store;
    keeper().move(DriftAlone{0.02});
    drift(host, 0.02);
    const PackedStrays packed = keeper().pack_strays(domains.first(), domains.cuts(), true);
    ++(packed.fit ? fit : not_fit);
    EXPECT_EQ(packed.index.size(), packed.fit ? strays_of(host, domains.first()).size() : 0);
    keeper().copy_home(Copied::all);
    keeper().forget();
    expect_same_particles(store, host);
    EXPECT_LE(backend_->peak_device_memory(), limit);
  }
  EXPECT_GT(fit, 0);
  EXPECT_GT(not_fit, 0);
}

TEST_P(KeptStrays, AreThoseThatAreNowhere) {
  ParticleStore store = stray_particles(30000, GetParam());
  store.position[77].y = NAN;
  store.position[7777].x = INFINITY;
  store.position[17777].z = -INFINITY;
  ASSERT_TRUE(keeper().keep(store));
  const PackedStrays packed = keeper().pack_strays(everywhere, one_domain, GetParam());
  const std::vector<std::uint32_t> nowhere{77, 7777, 17777};
  EXPECT_TRUE(std::ranges::equal(packed.index, nowhere));
  EXPECT_TRUE(std::ranges::equal(packed.by_rank, nowhere));
  EXPECT_TRUE(std::ranges::equal(packed.first, std::vector<std::uint32_t>{0, 0, 3}));
  EXPECT_TRUE(std::isnan(packed_on_host(keeper())[0].position.y));
  keeper().forget();
}

TEST_P(KeptStrays, AloneMayLeave) {
  ParticleStore store = stray_particles(30000, GetParam());
  ASSERT_TRUE(keeper().keep(store));
  const TwoDomains domains{0.3};
  const PackedStrays packed = keeper().pack_strays(domains.first(), domains.cuts(), false);
  ASSERT_GT(packed.index.size(), 1U);
  const StoreChange change = plan_exchange(packed.index.first(packed.index.size() - 1), 0, store.size());
  exchange(store, change, 0);
  EXPECT_THROW(keeper().follow_exchange(change, {}), Error);
  keeper().forget();
}

}  // namespace
}  // namespace multiwalk::device_test
