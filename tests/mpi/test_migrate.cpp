// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "decomposition/domains/domains.hpp"
#include "decomposition/domains/migrate.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/base/hash.hpp"
#include "tests/mpi/world.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

/// The contents of every array of a particle follow from its id.
void fill(ParticleStore& particles, std::size_t i, std::uint64_t id) {
  const auto f = static_cast<float>(id % 1000003);
  particles.id[i] = id;
  particles.velocity[i] = {f, f + 1, f + 2};
  particles.mass[i] = f + 3;
  particles.acceleration[i] = {f + 4, f + 5, f + 6};
  particles.potential[i] = f + 7;
  particles.work[i] = f + 8;
  particles.key[i] = id + 9;
  if (!particles.has_rungs()) return;
  particles.long_range[i] = {f + 10, f + 11, f + 12};
  particles.rung[i] = static_cast<std::uint8_t>(id % 21);
}

void expect_filled(const ParticleStore& particles) {
  particles.for_each_array(
      [&](const char* name, const auto& values) { ASSERT_EQ(values.size(), particles.size()) << name; });
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const auto f = static_cast<float>(particles.id[i] % 1000003);
    ASSERT_EQ(particles.velocity[i], (Vec3f{f, f + 1, f + 2}));
    ASSERT_EQ(particles.mass[i], f + 3);
    ASSERT_EQ(particles.acceleration[i], (Vec3f{f + 4, f + 5, f + 6}));
    ASSERT_EQ(particles.potential[i], f + 7);
    ASSERT_EQ(particles.work[i], f + 8);
    ASSERT_EQ(particles.key[i], particles.id[i] + 9);
    if (!particles.has_rungs()) continue;
    ASSERT_EQ(particles.long_range[i], (Vec3f{f + 10, f + 11, f + 12}));
    ASSERT_EQ(particles.rung[i], particles.id[i] % 21);
  }
}

Vec3d random_position(std::uint64_t seed) {
  const auto uniform = [&](std::uint64_t k) {
    return std::ldexp(static_cast<double>(mix_bits(3 * seed + k) >> 11), -53);
  };
  return {uniform(0), uniform(1), uniform(2)};
}

/// `n` on this rank at random places.
ParticleStore scattered(std::size_t n, std::uint64_t seed) {
  ParticleStore particles;
  particles.set_rungs(true);
  particles.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t id = mix_bits(seed) % 1000 + i * 64 + static_cast<std::uint64_t>(world().rank());
    fill(particles, i, id);
    particles.position[i] = random_position(mix_bits(id) + seed);
  }
  return particles;
}

DomainMap even_cuts() {
  const ParticleStore all = test::uniform_cube(world().root() ? 4000 : 0);
  return multisection(world(), world().size(), all.position, all.work, {}, nullptr);
}

void expect_owned(const DomainMap& domains, const ParticleStore& particles) {
  for (std::size_t i = 0; i < particles.size(); ++i) ASSERT_EQ(domains.rank_of(particles.position[i]), world().rank());
}

TEST(Migrate, ConservesEveryParticle) {
  const DomainMap domains = even_cuts();
  ParticleStore particles = scattered(1000 + 300 * static_cast<std::size_t>(world().rank()), 7);
  for (std::uint64_t round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < particles.size(); ++i)
      particles.position[i] = random_position(mix_bits(particles.id[i]) + round);
    const std::vector<std::uint64_t> before = ids_by_hash(world(), particles);
    std::map<std::uint64_t, Vec3d> staying;
    for (std::size_t i = 0; i < particles.size(); ++i)
      if (domains.rank_of(particles.position[i]) == world().rank()) staying[particles.id[i]] = particles.position[i];
    const std::size_t size = particles.size();
    EXPECT_EQ(migrate(world(), domains, particles), size - staying.size());
    EXPECT_EQ(ids_by_hash(world(), particles), before);
    expect_owned(domains, particles);
    expect_filled(particles);
    std::size_t stayed = 0;
    for (const std::uint64_t id : particles.id) stayed += staying.count(id);
    EXPECT_EQ(stayed, staying.size());
    for (std::size_t i = 0; i < particles.size(); ++i)
      ASSERT_EQ(particles.position[i], random_position(mix_bits(particles.id[i]) + round));
  }
}

TEST(Migrate, KeepsThePlacesOfThoseWhoStayAndTheOrderOfRanks) {
  const DomainMap domains = even_cuts();
  // Some ranks lose particles, others gain.
  ParticleStore particles = scattered(500 + 1500 * static_cast<std::size_t>(world().rank() % 2), 3);
  // The key holds the rank and place where a particle came from.
  for (std::size_t i = 0; i < particles.size(); ++i)
    particles.key[i] = (static_cast<std::uint64_t>(world().rank()) << 32) + i;
  migrate(world(), domains, particles);
  const auto own = static_cast<std::uint64_t>(world().rank());
  std::uint64_t last_come = 0, last_moved = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const std::uint64_t key = particles.key[i];
    ASSERT_LT(key >> 32, static_cast<std::uint64_t>(world().size()));
    if (key >> 32 != own) {
      ASSERT_LT(last_come, key + 1);
      last_come = key + 1;
    } else if ((key & 0xffffffffU) != i) {
      ASSERT_GE(key & 0xffffffffU, particles.size()) << "only the last move up";
      ASSERT_LT(last_moved, key);
      last_moved = key;
    }
  }
}

TEST(Migrate, StandsEmptyRanksAndEmptyBoxes) {
  const DomainMap domains = even_cuts();
  ParticleStore particles = world().root() ? scattered(500, 1) : ParticleStore();
  migrate(world(), domains, particles);
  expect_owned(domains, particles);
  EXPECT_EQ(world().sum(static_cast<std::uint64_t>(particles.size())), 500U);
  for (Vec3d& p : particles.position) p = {0.5, 0.5, 0.5};
  migrate(world(), domains, particles);
  EXPECT_EQ(particles.size(), domains.rank_of({0.5, 0.5, 0.5}) == world().rank() ? 500U : 0U);
  expect_filled(particles);
  ParticleStore none;
  EXPECT_EQ(migrate(world(), domains, none), 0U);
}

TEST(Migrate, SendsNothingWhenAllAreAtHome) {
  const DomainMap domains = even_cuts();
  ParticleStore particles = scattered(1000, 2);
  migrate(world(), domains, particles);
  const ParticleArray<std::uint64_t> order = particles.id;
  const std::uint64_t sent = Communicator::bytes_sent();
  EXPECT_EQ(migrate(world(), domains, particles), 0U);
  EXPECT_EQ(Communicator::bytes_sent(), sent);
  EXPECT_EQ(particles.id, order);
}

TEST(Migrate, MessagesMayBeCutIntoPieces) {
  const DomainMap domains = even_cuts();
  ParticleStore particles = scattered(1000, 5);
  const std::vector<std::uint64_t> before = ids_by_hash(world(), particles);
  const std::size_t whole = std::exchange(largest_message, 1000);
  migrate(world(), domains, particles);
  largest_message = whole;
  EXPECT_EQ(ids_by_hash(world(), particles), before);
  expect_owned(domains, particles);
  expect_filled(particles);
}

TEST(Migrate, NamesTheParticleThatIsNowhere) {
  const DomainMap domains = even_cuts();
  for (const double bad : {static_cast<double>(NAN), static_cast<double>(INFINITY), static_cast<double>(-INFINITY)}) {
    for (int axis = 0; axis < 3; ++axis) {
      ParticleStore particles = scattered(100, 2);
      if (world().rank() == world().size() - 1) {
        particles.id[70] = 987654321;
        particles.position[70][axis] = bad;
      }
      try {
        migrate(world(), domains, particles);
        ADD_FAILURE() << "no error";
      } catch (const SharedError& error) {
        EXPECT_NE(std::string(error.what()).find("id 987654321"), std::string::npos) << error.what();
      }
    }
  }
}

TEST(Migrate, RefusesTooManyOnOneRank) {
  const DomainMap domains = even_cuts();
  ParticleStore particles = world().root() ? scattered(1000, 4) : ParticleStore();
  for (Vec3d& p : particles.position) p = {2, 2, 2};
  if (world().alone()) return;  // nothing moves
  ParticleStore same = particles;
  EXPECT_THROW(migrate(world(), domains, particles, 999), SharedError);
  EXPECT_EQ(particles.size(), same.size()) << "nothing has moved";
  migrate(world(), domains, same, 1000);
  EXPECT_EQ(same.size(), world().rank() == world().size() - 1 ? 1000U : 0U);
}

TEST(IdCheck, SeesLostDoubledAndChangedIds) {
  const ParticleStore good = scattered(200, 6);
  const std::vector<std::uint64_t> ids = ids_by_hash(world(), good);
  const auto expect_seen = [&](const ParticleStore& bad) {
    EXPECT_TRUE(world().any(ids_by_hash(world(), bad) != ids));
  };
  ParticleStore bad = good;
  if (world().root()) bad.resize(199);
  expect_seen(bad);
  bad = good;
  if (world().root()) bad.id[0] = bad.id[1];
  expect_seen(bad);
  bad = good;
  if (world().root()) {  // neither count nor sum shows it
    bad.id[0] += 5;
    bad.id[1] -= 5;
  }
  expect_seen(bad);
}

TEST(Domains, DistributesAndBalances) {
  ParticleStore particles = world().root() ? test::plummer(20000) : ParticleStore();
  Domains domains(world(), {});
  EXPECT_FALSE(domains.map());
  const Distribution first = domains.distribute(particles);
  ASSERT_TRUE(domains.map());
  expect_owned(*domains.map(), particles);
  EXPECT_LT(first.particle_imbalance, 1.01);
  EXPECT_EQ(first.work_imbalance, 1);
  const auto left = world().root() ? 20000 - particles.size() : 0;
  EXPECT_EQ(first.moved, world().sum(static_cast<std::uint64_t>(left)));
  for (std::size_t i = 0; i < particles.size(); ++i)
    particles.work[i] = static_cast<float>(100 / (1 + 4 * norm2(particles.position[i])));
  Distribution second;
  for (int step = 0; step < 8; ++step) second = domains.distribute(particles);
  expect_owned(*domains.map(), particles);
  EXPECT_LE(second.particle_imbalance, 1.3);
  if (world().size() <= 4) {
    EXPECT_LT(second.work_imbalance, 1.05);
  }
  const double numbers = static_cast<double>(world().max(static_cast<std::uint64_t>(particles.size())));
  EXPECT_DOUBLE_EQ(second.particle_imbalance, numbers * world().size() / 20000);
  EXPECT_LT(domains.distribute(particles).moved, 20U) << "settled but for the last of the smoothing";
}

TEST(Domains, GoOnFromACheckpoint) {
  ParticleStore particles = scattered(3000, 8);
  Domains domains(world(), {});
  domains.distribute(particles);
  for (Vec3d& p : particles.position) p += Vec3d{0.004, 0, 0.003};
  ParticleStore same = particles;
  Domains restored(world(), {});
  restored.restore(*domains.map());
  restored.distribute(same);
  domains.distribute(particles);
  EXPECT_EQ(restored.map()->x, domains.map()->x);
  EXPECT_EQ(restored.map()->y, domains.map()->y);
  EXPECT_EQ(restored.map()->z, domains.map()->z);
  EXPECT_EQ(same.id, particles.id);
  DomainMap other{{world().size() + 1, 1, 1}, std::vector<double>(static_cast<std::size_t>(world().size()), 1), {}, {}};
  restored.restore(other);
  EXPECT_FALSE(restored.map());
  other.x.pop_back();
  EXPECT_THROW(restored.restore(other), InputError);
}

}  // namespace
}  // namespace multiwalk
