// SPDX-License-Identifier: GPL-3.0-or-later
// Subhalos over ranks: the same as those of one rank, to the last bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/subhalos/subhalo_tracker.hpp"
#include "decomposition/domains/domains.hpp"
#include "host/base/separation.hpp"
#include "run/trees/track_file.hpp"
#include "tests/mpi/shared_directory.hpp"
#include "tests/mpi/shared_models.hpp"
#include "tests/mpi/world.hpp"
#include "tests/support/bound_spheres.hpp"

namespace multiwalk {
namespace {

constexpr double side = 4;

/// A large sphere on a corner of the box, small ones that fall into it or stay away, and particles between.
ParticleSystem system_at(int output) {
  std::vector<Member> all = test::SphereOfMembers{.n = 3000, .mass = 3000, .seed = 1}.make();
  for (int s = 0; s < 6; ++s) {
    test::SphereOfMembers small{.n = 200, .mass = 200, .radius = 0.06, .seed = 10U + static_cast<std::uint64_t>(s)};
    small.first_id = 10000 + 1000 * static_cast<std::uint64_t>(s);
    small.centre = {(0.9 - 0.3 * output) * std::cos(s), (0.9 - 0.3 * output) * std::sin(s), 0.5 * (s % 3)};
    small.velocity = {-500 * std::cos(s), -500 * std::sin(s), 0};
    all = test::together(all, small.make());
  }
  ParticleSystem system;
  system.particles.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    system.particles.position[i] = wrapped(static_cast<Vec3d>(all[i].place), side);
    system.particles.velocity[i] = all[i].velocity;
    system.particles.mass[i] = all[i].mass;
    system.particles.id[i] = all[i].id;
    system.particles.work[i] = 1;
  }
  system.boundary = Boundary::periodic;
  system.box_size = side;
  system.spacing = 0.2;
  return system;
}

const TrackingOptions tracking{.softening = 0.003};

/// Of all ranks, on rank 0, in one order.
SubhaloShare gathered(const SubhaloShare& share) {
  SubhaloShare all{world().gather(std::span<const SubhaloGroup>(share.groups)),
                   world().gather(std::span<const Subhalo>(share.subhalos)),
                   world().gather(std::span<const TrackEnd>(share.ends))};
  std::ranges::sort(all.groups, {}, &SubhaloGroup::id);
  std::ranges::sort(all.subhalos, {}, &Subhalo::track);
  std::ranges::sort(all.ends, {}, &TrackEnd::track);
  return all;
}

SubhaloShare follow_distributed(TrackMemory& memory, int output) {
  ParticleSystem system = system_at(output);
  system.particles = test::share_of(system.particles);
  Domains domains(world(), {});
  domains.distribute(system.particles);
  return gathered(follow_subhalos(memory, system, domains.map().value_or(DomainMap()), {}, tracking, world()));
}

void expect_equal(const SubhaloShare& found, const SubhaloShare& expected) {
  ASSERT_EQ(found.groups.size(), expected.groups.size());
  for (std::size_t i = 0; i < found.groups.size(); ++i) {
    EXPECT_EQ(found.groups[i].id, expected.groups[i].id);
    EXPECT_EQ(found.groups[i].number, expected.groups[i].number);
    EXPECT_EQ(found.groups[i].centre, expected.groups[i].centre);
    EXPECT_EQ(found.groups[i].subhalos, expected.groups[i].subhalos);
    for (SphericalMass HaloSpheres::*sphere : {&HaloSpheres::crit200, &HaloSpheres::mean200}) {
      EXPECT_GT((expected.groups[i].spheres.*sphere).mass, 0);
      EXPECT_EQ((found.groups[i].spheres.*sphere).mass, (expected.groups[i].spheres.*sphere).mass);
      EXPECT_EQ((found.groups[i].spheres.*sphere).radius, (expected.groups[i].spheres.*sphere).radius);
    }
  }
  ASSERT_EQ(found.subhalos.size(), expected.subhalos.size());
  for (std::size_t i = 0; i < found.subhalos.size(); ++i) {
    const Subhalo &a = found.subhalos[i], &b = expected.subhalos[i];
    EXPECT_EQ(a.track, b.track);
    EXPECT_EQ(a.parent, b.parent);
    EXPECT_EQ(a.number, b.number);
    EXPECT_EQ(a.most_bound, b.most_bound);
    EXPECT_EQ(a.centre, b.centre);
    EXPECT_EQ(a.v_max, b.v_max);
    EXPECT_EQ(a.spin, b.spin);
  }
  ASSERT_EQ(found.ends.size(), expected.ends.size());
}

TEST(Subhalos, AreThoseOfOneRank) {
  TrackMemory memory, alone;
  for (int output = 0; output < 3; ++output) {
    const SubhaloShare found = follow_distributed(memory, output);
    const SubhaloShare expected = follow_subhalos(alone, system_at(output), {}, {}, tracking);
    if (!world().root()) continue;
    SubhaloShare sorted = expected;
    std::ranges::sort(sorted.groups, {}, &SubhaloGroup::id);
    std::ranges::sort(sorted.subhalos, {}, &Subhalo::track);
    expect_equal(found, sorted);
    EXPECT_EQ(found.subhalos.size(), 7U);
    const auto satellites = std::ranges::count_if(found.subhalos, [](const Subhalo& s) { return s.parent != none; });
    EXPECT_EQ(satellites > 0, output == 2) << satellites << " at output " << output;
  }
  EXPECT_EQ(memory.next_track, 7);
  EXPECT_EQ(memory.outputs, 3);
}

/// As after a restart, on the same or another number of ranks.
TEST(Subhalos, MemoryGoesThroughAFile) {
  const test::SharedDirectory directory;
  TrackMemory memory;
  follow_distributed(memory, 0);
  const std::string path = track_file(directory.path(), 12);
  const std::uint32_t checksum = write_track_file(path, memory, 0.5, world());
  StoredTracks stored = read_track_file(path, world());
  EXPECT_EQ(stored.time, 0.5);
  EXPECT_EQ(stored.checksum, checksum);
  TrackMemory restored = std::move(stored.memory);
  EXPECT_EQ(restored.next_track, memory.next_track);
  const SubhaloShare expected = follow_distributed(memory, 1), found = follow_distributed(restored, 1);
  if (world().root()) expect_equal(found, expected);
}

}  // namespace
}  // namespace multiwalk
