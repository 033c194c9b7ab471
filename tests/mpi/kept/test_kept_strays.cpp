// SPDX-License-Identifier: GPL-3.0-or-later
// Particles that a keeper has cross the faces of domains as those of a store do.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "decomposition/domains/domains.hpp"
#include "decomposition/domains/migrate.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/base/hash.hpp"
#include "tests/mpi/shared_directory.hpp"
#include "tests/mpi/world.hpp"
#include "tests/support/keepers/host_keeper.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

/// From -1 to 1, by the number alone.
float random_of(std::uint64_t number) {
  return std::ldexp(static_cast<float>(mix_bits(number) >> 40), -23) - 1;
}

/// This rank's share of a cube of particles whose arrays differ from one to the next.
ParticleStore share_of_cube(std::size_t all, bool rungs) {
  const auto ranks = static_cast<std::uint64_t>(world().size()), rank = static_cast<std::uint64_t>(world().rank());
  ParticleStore store =
      test::kept(test::uniform_cube(all), [&](std::uint32_t i) { return mix_bits(i) % ranks == rank; });
  store.set_rungs(rungs);
  for (std::size_t i = 0; i < store.size(); ++i) {
    const std::uint64_t n = 100 * store.id[i];
    store.velocity[i] = {random_of(n), random_of(n + 1), random_of(n + 2)};
    store.acceleration[i] = {random_of(n + 3), random_of(n + 4), random_of(n + 5)};
    store.potential[i] = random_of(n + 6);
    store.work[i] = 2 + random_of(n + 7);
    store.key[i] = n + 8;
    if (!rungs) continue;
    store.long_range[i] = {random_of(n + 9), random_of(n + 10), random_of(n + 11)};
    store.rung[i] = static_cast<std::uint8_t>(store.id[i] % 21);
  }
  return store;
}

void expect_same_store(const ParticleStore& a, const ParticleStore& b) {
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.mass, b.mass);
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.acceleration, b.acceleration);
  EXPECT_EQ(a.potential, b.potential);
  EXPECT_EQ(a.work, b.work);
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.long_range, b.long_range);
  EXPECT_EQ(a.rung, b.rung);
}

/// Short drifts, long ones, none, and one out of all domains but the outermost.
constexpr double drifts[] = {0.01, 0.02, 0, 0.3, -0.2, 0.01, 0.5, -1, 0.1, 0.01, 1000, -999, 0.02};

/// Messages carry everything, or only ids and masses, and the ranks read the rest from each other's files.
TEST(DomainsWithAKeeper, ExchangeWhatAStoreWould) {
  for (const int kind : {0, 1, 2, 3}) {
    const bool rungs = kind % 2 == 1, direct = kind / 2 == 1;
    const test::SharedDirectory directory;
    ParticleStore store = share_of_cube(6000, rungs);
    Domains domains(world(), {});
    domains.distribute(store);
    ParticleStore plain = store;
    test::HostKeeper keeper;
    if (direct) keeper.file = directory / std::to_string(world().rank());
    ASSERT_TRUE(keeper.keep(store));
    std::uint64_t moved = 0;
    int round = 0;
    for (const double factor : drifts) {
      keeper.move(DriftAlone{factor});
      drift(plain, factor);
      domains.return_strays({store, &keeper});
      moved += migrate(world(), *domains.map(), plain);
      ASSERT_EQ(store.size(), plain.size());
      EXPECT_EQ(store.id, plain.id);
      if (++round % 2 == 0) continue;  // the store stays out of date
      keeper.copy_home(Copied::all);
      expect_same_store(store, plain);
    }
    EXPECT_EQ(keeper.strays, moved) << "nothing else came home";
    EXPECT_TRUE(world().alone() || world().sum(moved) > 6000U);
    EXPECT_EQ(world().sum(keeper.times_read) > 0, direct && !world().alone());
  }
}

/// One device has no room to sort those that leave: the particles of all ranks migrate like those of a store.
TEST(DomainsWithAKeeper, ComeHomeIfOneHasNoRoom) {
  for (const bool rungs : {false, true}) {
    ParticleStore store = share_of_cube(6000, rungs);
    Domains domains(world(), {});
    domains.distribute(store);
    ParticleStore plain = store;
    test::HostKeeper keeper;
    ASSERT_TRUE(keeper.keep(store));
    for (const bool room : {true, false}) {
      keeper.has_room = room || world().rank() != world().size() - 1;
      keeper.move(DriftAlone{0.2});
      drift(plain, 0.2);
      EXPECT_EQ(domains.return_strays({store, &keeper}), room);
      migrate(world(), *domains.map(), plain);
      EXPECT_EQ(keeper.keeps(store), room);
    }
    expect_same_store(store, plain);
  }
}

TEST(DomainsWithAKeeper, SendNothingWhenAllAreAtHome) {
  ParticleStore store = share_of_cube(3000, false);
  Domains domains(world(), {});
  domains.distribute(store);
  const ParticleStore before = store;
  test::HostKeeper keeper;
  ASSERT_TRUE(keeper.keep(store));
  const std::uint64_t sent = Communicator::bytes_sent();
  domains.return_strays({store, &keeper});
  EXPECT_EQ(Communicator::bytes_sent(), sent);
  keeper.copy_home(Copied::all);
  expect_same_store(store, before);
}

TEST(DomainsWithAKeeper, NameTheParticleThatIsNowhere) {
  ParticleStore store = share_of_cube(3000, false);
  Domains domains(world(), {});
  domains.distribute(store);
  if (world().rank() == world().size() - 1) {
    store.id[70] = 987654321;
    store.velocity[70] = {0, INFINITY, 0};
  }
  test::HostKeeper keeper;
  ASSERT_TRUE(keeper.keep(store));
  keeper.move(DriftAlone{0.01});
  try {
    domains.return_strays({store, &keeper});
    ADD_FAILURE() << "no error";
  } catch (const SharedError& error) {
    EXPECT_NE(std::string(error.what()).find("id 987654321"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace multiwalk
