// SPDX-License-Identifier: GPL-3.0-or-later
// Groups and halos over ranks: the same as those of one rank, to the last bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "analysis/halos/friends_of_friends.hpp"
#include "analysis/halos/group_order.hpp"
#include "analysis/halos/halo_finder.hpp"
#include "decomposition/domains/domains.hpp"
#include "decomposition/domains/migrate.hpp"
#include "decomposition/domains/multisection.hpp"
#include "run/files/atomic_file.hpp"
#include "run/hdf5/hdf5_file.hpp"
#include "run/snapshots/halo_catalogue.hpp"
#include "tests/mpi/shared_directory.hpp"
#include "tests/mpi/shared_models.hpp"
#include "tests/mpi/world.hpp"
#include "tests/support/brute_friends.hpp"

namespace multiwalk {
namespace {

using GroupOfId = std::map<std::uint64_t, std::uint64_t>;

DomainMap cut_by_number(const ParticleStore& all) {
  const ParticleStore mine = test::share_of(all);
  return multisection(world(), world().size(), mine.position, mine.work, {}, nullptr);
}

/// Groups of `all` found by every rank together, for the ids that this rank has in the end.
GroupOfId groups_over_ranks(const ParticleStore& all, const DomainMap& domains, double length, double period) {
  ParticleStore mine = test::share_of(all);
  migrate(world(), domains, mine);
  const FriendGroups groups = friends_of_friends(mine.position, mine.id, domains, {length, period}, world());
  GroupOfId found;
  for (std::size_t i = 0; i < mine.size(); ++i) found[mine.id[i]] = groups.group(i);
  EXPECT_EQ(world().sum(static_cast<std::uint64_t>(found.size())), all.size());
  return found;
}

void expect_groups(const ParticleStore& all, const DomainMap& domains, const std::vector<std::uint64_t>& expected,
                   double length, double period) {
  const GroupOfId found = groups_over_ranks(all, domains, length, period);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto mine = found.find(all.id[i]);
    if (mine != found.end() && mine->second != expected[i]) ++wrong;
  }
  EXPECT_EQ(wrong, 0U) << length << ' ' << period;
}

TEST(Halos, GroupsAreThoseOfAllPairs) {
  const ParticleStore all = test::clumpy_box(3000, 5, 4);
  for (const double period : {0.0, 5.0}) {
    for (const double length : {1e-3, 0.07, 0.15, 0.25, 0.7, 3.0})
      expect_groups(all, cut_by_number(all), test::brute_friends(all.position, all.id, length, period), length, period);
  }
}

/// A spiral through all domains, many times from rank to rank.
TEST(Halos, AChainThroughEveryDomainIsOneGroup) {
  ParticleStore all;
  all.resize(20000);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double t = static_cast<double>(i) / 20000.0;
    all.position[i] = {5 + 4.9 * t * std::cos(60 * t), 5 + 4.9 * t * std::sin(60 * t), 5 + 4.9 * std::sin(35 * t)};
    all.id[i] = all.size() - i;
    all.mass[i] = 1;
  }
  for (const double period : {0.0, 10.0})
    expect_groups(all, cut_by_number(all), std::vector<std::uint64_t>(all.size(), 1), 0.06, period);
}

/// Slabs along x at these cuts, the last repeated until there is a slab for each rank: between equal cuts is nothing.
DomainMap slabs(std::vector<double> cuts) {
  DomainMap domains;
  domains.grid = {world().size(), 1, 1};
  cuts.resize(static_cast<std::size_t>(world().size() - 1), cuts.back());
  domains.x = std::move(cuts);
  return domains;
}

/// Neighbours exactly a linking length apart, the domains' faces exactly on them, ranks without a particle.
TEST(Halos, FacesThroughParticlesAndRanksThatOwnNothing) {
  ParticleStore all;
  all.resize(512);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all.position[i] =
        0.25 * Vec3d{static_cast<double>(i / 64), static_cast<double>(i / 8 % 8), static_cast<double>(i % 8)};
    all.id[i] = (i * 331) % 512;
  }
  for (const DomainMap& domains : {slabs({0.25, 0.5, 1.25}), slabs({0.5, 0.5, 0.75}), slabs({0, 1.75}), slabs({9})}) {
    for (const double period : {0.0, 2.0}) {
      for (const double length : {0.25, 0.2499999999, 0.3535533905932738})
        expect_groups(all, domains, test::brute_friends(all.position, all.id, length, period), length, period);
    }
  }
}

ParticleSystem make_system(Boundary boundary, bool potential) {
  ParticleSystem system;
  system.particles = test::clumpy_box(20000, 5, 8, false);
  system.boundary = boundary;
  system.box_size = 5;
  system.spacing = 5 / std::cbrt(20000.0);
  system.time = 0.7;
  for (std::size_t i = 0; potential && i < system.particles.size(); ++i)
    system.particles.potential[i] = -static_cast<float>(system.particles.id[i] % 100);
  return system;
}

/// Moves the particles to their domains and finds the halos.
HaloCatalogue find_distributed(ParticleSystem& system, const HaloOptions& options) {
  Domains domains(world(), {});
  domains.distribute(system.particles);
  return find_halos(system, *domains.map(), CosmologyParameters(), options, world());
}

TEST(Halos, AreTheSameBitForBit) {
  for (const Boundary boundary : {Boundary::vacuum, Boundary::periodic}) {
    for (const bool potential : {false, true}) {
      const ParticleSystem alone = make_system(boundary, potential);
      ParticleSystem system = alone;
      system.particles = test::share_of(alone.particles);
      const CosmologyParameters cosmology;
      const HaloCatalogue whole = find_halos(alone, DomainMap(), cosmology, {0.2, 20});
      const HaloCatalogue mine = find_distributed(system, {0.2, 20});
      const std::vector<Halo>& expected = whole.halos;
      const std::vector<Halo> got = world().gather(std::span<const Halo>(mine.halos));
      if (!world().root()) continue;
      ASSERT_GT(expected.size(), 20U);
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t h = 0; h < got.size(); ++h) {
        EXPECT_EQ(std::memcmp(&got[h], &expected[h], sizeof(Halo)), 0) << h;
        EXPECT_GE(got[h].number, 20U);
      }
      const auto measured = [](const Halo& halo) { return halo.mean200.mass > 0 && halo.crit500.radius > 0; };
      EXPECT_GT(std::ranges::count_if(got, measured), static_cast<std::ptrdiff_t>(got.size() / 2));
    }
  }
}

TEST(Halos, MembersAndParticlesComeInTheOrderOfTheHalos) {
  ParticleSystem alone = make_system(Boundary::periodic, true);
  for (std::size_t i = 0; i < alone.particles.size(); ++i) {
    alone.particles.acceleration[i] = Vec3f(2.0 * alone.particles.position[i]);
  }
  const HaloCatalogue whole = find_halos(alone, DomainMap(), CosmologyParameters(), {0.2, 20});
  const std::vector<std::uint64_t> expected = member_ids(whole, alone.particles.id);
  ParticleSystem system = alone;
  system.particles = test::share_of(alone.particles);
  const HaloCatalogue mine = find_distributed(system, {0.2, 20});
  const ParticleStore ordered = particles_by_group(mine, system.particles, world());
  const auto members = world().gather(std::span<const std::uint64_t>(member_ids(mine, system.particles.id, world())));
  const auto ids = world().gather(std::span<const std::uint64_t>(ordered.id));
  const auto positions = world().gather(std::span<const Vec3d>(ordered.position));
  const auto accelerations = world().gather(std::span<const Vec3f>(ordered.acceleration));
  const auto masses = world().gather(std::span<const float>(ordered.mass));
  if (!world().root()) return;
  EXPECT_EQ(members, expected);
  ASSERT_EQ(ids.size(), alone.particles.size());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), ids.begin()));
  EXPECT_TRUE(std::is_sorted(ids.begin() + static_cast<std::ptrdiff_t>(expected.size()), ids.end()));
  std::map<std::uint64_t, std::size_t> place;
  for (std::size_t i = 0; i < alone.particles.size(); ++i) place[alone.particles.id[i]] = i;
  std::size_t at = 0;
  for (const Halo& halo : whole.halos) {
    EXPECT_EQ(members[at], halo.id);
    double mass = 0;
    for (const std::size_t end = at + halo.number; at < end; ++at) mass += static_cast<double>(masses[at]);
    EXPECT_NEAR(mass, halo.mass, 1e-9 * mass);
  }
  EXPECT_EQ(at, members.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(positions[i], alone.particles.position[place.at(ids[i])]);
    EXPECT_EQ(accelerations[i], Vec3f(2.0 * positions[i]));
  }
}

TEST(Halos, CatalogueIsThatOfOneRank) {
  const test::SharedDirectory directory;
  const ParticleSystem alone = make_system(Boundary::vacuum, false);
  ParticleSystem system = alone;
  system.particles = test::share_of(alone.particles);
  const HaloCatalogue mine = find_distributed(system, {0.2, 20});
  const CatalogueSnapshot about{system.time, snapshot_box(system, world()), CosmologyParameters(), true};
  const auto ids = member_ids(mine, system.particles.id, world());
  write_halo_file(directory / "several.hdf5", mine.halos, ids, about, world());
  write_halo_table(directory / "several.csv", mine.halos, Boundary::vacuum, world(), 7);
  if (!world().root()) return;
  const HaloCatalogue whole = find_halos(alone, DomainMap(), CosmologyParameters(), {0.2, 20});
  write_halo_file(directory / "one.hdf5", whole.halos, member_ids(whole, alone.particles.id),
                  {alone.time, snapshot_box(alone), CosmologyParameters(), true});
  write_halo_table(directory / "one.csv", whole.halos, Boundary::vacuum);
  EXPECT_EQ(read_whole_file(directory / "several.csv"), read_whole_file(directory / "one.csv"));
  const hdf5::File several = hdf5::File::open(directory / "several.hdf5"),
                   one = hdf5::File::open(directory / "one.hdf5");
  for (const char* link :
       {"Group/GroupPos", "Group/GroupLen", "Group/GroupOffsetType", "Group/GroupFirstSub", "IDs/ID",
        "Subhalo/SubhaloVmax", "Subhalo/SubhaloSpin", "Subhalo/SubhaloConcentration", "Group/Group_R_Crit500"}) {
    const hdf5::DatasetShape shape = one.dataset_shape(link);
    ASSERT_GT(shape.rows, 20U);
    ASSERT_EQ(several.dataset_shape(link).rows, shape.rows);
    EXPECT_EQ(one.read_dataset<double>(link, shape.columns), several.read_dataset<double>(link, shape.columns)) << link;
  }
}

TEST(Halos, NobodyLinked) {
  ParticleSystem system = make_system(Boundary::periodic, false);
  system.particles = test::share_of(system.particles);
  EXPECT_TRUE(find_distributed(system, {1e-4, 20}).halos.empty());
  EXPECT_TRUE(find_distributed(system, {0.2, 20001}).halos.empty());
}

}  // namespace
}  // namespace multiwalk
