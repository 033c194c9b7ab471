// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/subhalos/group_tracks.hpp"
#include "analysis/subhalos/subhalo_properties.hpp"
#include "tests/support/bound_spheres.hpp"

namespace multiwalk {
namespace {

using test::SphereOfMembers;

UnbindingOptions today() {
  return {.a = 1, .hubble = 100, .softening = 0.005};
}

constexpr SphereOfMembers large{.n = 2000, .mass = 2000, .first_id = 0, .seed = 1};
constexpr SphereOfMembers small{.n = 300, .mass = 300, .radius = 0.07, .first_id = 5000, .seed = 2};

/// The first and only track of a group of its own.
Track track_alone(const std::vector<Member>& members, std::int64_t id) {
  GroupTracks begun = follow_group(members, {}, today());
  EXPECT_EQ(begun.tracks.size(), 1U);
  EXPECT_EQ(begun.tracks.front().head.id, none);
  EXPECT_EQ(begun.subhalos.size(), 1U);
  begun.tracks.front().head.id = id;
  return begun.tracks.front();
}

SphereOfMembers moved(SphereOfMembers sphere, Vec3d centre, Vec3d velocity) {
  sphere.centre = centre;
  sphere.velocity = velocity;
  return sphere;
}

const Subhalo& of_track(const GroupTracks& result, std::int64_t id) {
  return *std::ranges::find(result.subhalos, id, &Subhalo::track);
}

TEST(GroupTracks, TheFirstOfAGroupIsItsBoundSphere) {
  const std::vector<Member> members = large.make();
  const GroupTracks begun = follow_group(members, {}, today());
  const Subhalo& s = begun.subhalos.at(0);
  EXPECT_GT(s.number, 1950U);
  EXPECT_NEAR(s.mass, static_cast<double>(s.number), 0.01);
  EXPECT_LT(norm(s.centre), 0.1 * large.radius);
  // Half of a Plummer sphere's mass lies within 1.305 scale radii; v_max = 0.6204 sqrt(G M / b), at sqrt(2) b.
  const double b = 0.589 * large.radius;
  EXPECT_NEAR(s.half_mass_radius, 1.305 * b, 0.05 * b);
  EXPECT_NEAR(s.v_max, 0.6204 * std::sqrt(units::gravitational_constant * large.mass / b), 0.03 * s.v_max);
  EXPECT_NEAR(s.r_max, std::sqrt(2.0) * b, 0.3 * b);
  EXPECT_EQ(begun.tracks.at(0).member.front(), s.most_bound);
  EXPECT_TRUE(begun.ends.empty());
}

TEST(GroupTracks, TwoSpheresThatMeetAreHostAndSatellite) {
  std::vector<Track> tracks{track_alone(small.make(), 7), track_alone(large.make(), 4)};
  const std::uint64_t before = tracks[0].head.bound;
  const SphereOfMembers falling = moved(small, {0.25, 0.05, 0}, {-700, 0, 0});
  GroupTracks met = follow_group(test::together(large.make(), falling.make()), tracks, today());
  ASSERT_EQ(met.subhalos.size(), 2U);
  EXPECT_EQ(met.subhalos[0].track, 4);
  EXPECT_EQ(met.subhalos[0].parent, none);
  EXPECT_EQ(met.subhalos[1].track, 7);
  EXPECT_EQ(met.subhalos[1].parent, 4);
  EXPECT_EQ(met.subhalos[1].parent_rank, 0);
  EXPECT_GT(met.subhalos[1].number, before * 95 / 100);
  EXPECT_LE(met.subhalos[1].number, small.n);
  EXPECT_LT(met.subhalos[0].number, large.n + 30) << "no particle belongs to two subhalos";
  EXPECT_NEAR(met.subhalos[1].velocity.x, -700, 30);

  // Out again: a group of its own, with its number.
  const SphereOfMembers left = moved(small, {1, 0, 0}, {500, 0, 0});
  const auto satellite = std::ranges::find(met.tracks, 7, [](const Track& t) { return t.head.id; });
  const GroupTracks out = follow_group(left.make(), {*satellite}, today());
  ASSERT_EQ(out.subhalos.size(), 1U);
  EXPECT_EQ(out.subhalos[0].track, 7);
  EXPECT_EQ(out.subhalos[0].parent, none);
  EXPECT_GT(out.subhalos[0].number, before * 95 / 100);
}

/// A satellite that comes to have more particles in its list than its host stays a satellite.
TEST(GroupTracks, ASatelliteDoesNotBecomeTheCentralOfItsHost) {
  std::vector<Track> tracks{track_alone(large.make(), 1), track_alone(small.make(), 2)};
  tracks[0].head.parent = 2;
  const SphereOfMembers near = moved(small, {0.2, 0, 0}, {300, 0, 0});
  const GroupTracks met = follow_group(test::together(large.make(), near.make()), tracks, today());
  EXPECT_EQ(met.subhalos.at(0).track, 2);
  EXPECT_EQ(of_track(met, 1).parent, 2);
}

TEST(GroupTracks, ADispersedSatelliteEndsInItsHost) {
  std::vector<Track> tracks{track_alone(large.make(), 1), track_alone(small.make(), 2)};
  std::vector<Member> gone = small.make();
  for (std::size_t i = 0; i < gone.size(); ++i) {
    gone[i].place = static_cast<Vec3f>(large.make()[3 * i].place);
    gone[i].velocity = large.make()[5 * i].velocity;
  }
  const std::uint64_t was_most_bound = tracks[1].member.front();
  const GroupTracks met = follow_group(test::together(large.make(), gone), tracks, today());
  ASSERT_EQ(met.ends.size(), 1U);
  EXPECT_EQ(met.ends[0].track, 2);
  EXPECT_EQ(met.ends[0].descendant, 1);
  EXPECT_EQ(met.ends[0].most_bound, was_most_bound);
  EXPECT_EQ(met.subhalos.size(), 1U);
  EXPECT_GT(met.subhalos[0].number, large.n + small.n * 9 / 10) << "its particles are the host's";
}

/// At the host's centre and at rest there, a satellite is no longer apart.
TEST(GroupTracks, ASunkenSatelliteEndsInItsHost) {
  std::vector<Track> tracks{track_alone(large.make(), 1), track_alone(small.make(), 2)};
  const GroupTracks met = follow_group(test::together(large.make(), small.make()), tracks, today());
  ASSERT_EQ(met.ends.size(), 1U);
  EXPECT_EQ(met.ends[0].descendant, 1);
  EXPECT_EQ(met.subhalos.size(), 1U);
  EXPECT_GT(met.subhalos[0].number, large.n + small.n * 9 / 10);
}

/// A third sphere within the second: two levels.
TEST(GroupTracks, SatellitesOfSatellitesKeepTheirParents) {
  const SphereOfMembers tiny{.n = 60, .mass = 60, .radius = 0.02, .first_id = 9000, .seed = 4};
  std::vector<Track> tracks{track_alone(large.make(), 1), track_alone(small.make(), 2), track_alone(tiny.make(), 3)};
  tracks[1].head.parent = 1;
  tracks[2].head.parent = 2;
  std::vector<Member> all = test::together(large.make(), moved(small, {0.4, 0, 0}, {-500, 0, 0}).make());
  all = test::together(all, moved(tiny, {0.47, 0, 0}, {-500, 150, 0}).make());
  const GroupTracks met = follow_group(all, tracks, today());
  EXPECT_EQ(of_track(met, 3).parent, 2);
  EXPECT_EQ(of_track(met, 2).parent, 1);
  EXPECT_EQ(of_track(met, 3).parent_rank, of_track(met, 2).rank);
  EXPECT_GT(of_track(met, 3).number, 50U);
}

/// Of two satellites of one host that remember the same particles, the smaller keeps them.
TEST(GroupTracks, TheSmallerOfTwoSatellitesKeepsWhatBothRemember) {
  const SphereOfMembers tiny{.n = 60, .mass = 60, .radius = 0.02, .first_id = 9000, .seed = 4};
  std::vector<Track> tracks{track_alone(large.make(), 1), track_alone(small.make(), 2), track_alone(tiny.make(), 3)};
  for (const std::size_t satellite : {1, 2}) tracks[satellite].head.parent = 1;
  for (const Member& m : tiny.make()) tracks[1].member.push_back(m.id);
  std::vector<Member> all = test::together(large.make(), moved(small, {0.4, 0, 0}, {-500, 0, 0}).make());
  all = test::together(all, moved(tiny, {0.47, 0, 0}, {-500, 150, 0}).make());
  const GroupTracks met = follow_group(all, tracks, today());
  ASSERT_EQ(met.subhalos.size(), 3U);
  EXPECT_GT(of_track(met, 3).number, 50U);
  EXPECT_LE(of_track(met, 2).number, small.n + 5);
}

TEST(GroupTracks, ACentralWithTooFewIsMissingButNotForgotten) {
  std::vector<Track> tracks{track_alone(small.make(), 2)};
  std::vector<Member> hot = small.make();
  for (Member& m : hot) m.velocity = 50.0F * m.velocity;
  const GroupTracks met = follow_group(hot, tracks, today());
  EXPECT_TRUE(met.subhalos.empty());
  ASSERT_EQ(met.tracks.size(), 1U);
  EXPECT_EQ(met.tracks[0].head.missed, 1);
  EXPECT_EQ(met.tracks[0].member, tracks[0].member);
}

}  // namespace
}  // namespace multiwalk
