// SPDX-License-Identifier: GPL-3.0-or-later
// Planted histories of halos, and the subhalos and merger trees that they must give.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "analysis/subhalos/merger_trees.hpp"
#include "analysis/subhalos/subhalo_tracker.hpp"
#include "tests/unit/analysis/subhalos/planted_halos.hpp"

namespace multiwalk {
namespace {

using test::Epoch;
using test::PlantedBody;
using test::PlantedHalo;
using test::together;

/// A box, followed from output to output; a halo is its track.
class PlantedHistory {
 public:
  /// Finds the subhalos among these bodies, 0.05 in a later than before.
  const SubhaloShare& add(const std::vector<PlantedBody>& bodies) {
    const Epoch epoch = next();
    share_ = follow_subhalos(memory_, test::comoving_system(bodies, epoch, 20, 1.5), {}, {}, {.softening = 1e-4});
    std::ranges::sort(share_.subhalos, {}, [](const Subhalo& s) { return std::pair(s.group, s.rank); });
    TreeOutput output{{}, share_.ends};
    for (const Subhalo& s : share_.subhalos)
      output.halos.push_back({s.track, s.mass, static_cast<std::int64_t>(s.group)});
    outputs_.push_back(output);
    return share_;
  }
  [[nodiscard]] Epoch next() const { return {0.4 + 0.05 * static_cast<double>(outputs_.size())}; }
  [[nodiscard]] const Subhalo* of(std::int64_t track) const {
    const auto found = std::ranges::find(share_.subhalos, track, &Subhalo::track);
    return found == share_.subhalos.end() ? nullptr : &*found;
  }
  [[nodiscard]] const Subhalo& at(std::int64_t track) const {
    if (of(track) == nullptr) throw std::runtime_error("track " + std::to_string(track) + " is missing");
    return *of(track);
  }
  /// The track whose most bound particle is the centre of this planted halo.
  [[nodiscard]] std::int64_t track_of(const PlantedHalo& halo) const {
    const auto found = std::ranges::find(share_.subhalos, halo.first_id, &Subhalo::most_bound);
    return found == share_.subhalos.end() ? none : found->track;
  }
  [[nodiscard]] std::vector<PlantedBody> bodies(const PlantedHalo& halo) const { return halo.bodies(next()); }
  /// The ids of the particles of a track, the most bound first.
  [[nodiscard]] const std::vector<std::uint64_t>& members(std::int64_t track) const { return kept(track).member; }
  [[nodiscard]] const Track& kept(std::int64_t track) const {
    return *std::ranges::find(memory_.tracks, track, [](const Track& t) { return t.head.id; });
  }

  /// (output, track) of a halo in the trees.
  using HaloKey = std::pair<std::size_t, std::int64_t>;
  struct Links {
    HaloKey descendant{0, none};
    std::vector<HaloKey> progenitors, group;  ///< in their order
    std::size_t tree = 0;
  };
  [[nodiscard]] std::map<HaloKey, Links> trees() const {
    const MergerTrees trees = link_trees(outputs_);
    std::map<HaloKey, Links> links;
    for (std::size_t t = 0; t < trees.size(); ++t) {
      const auto node = [&](std::int64_t n) { return trees.node.at(trees.first[t] + static_cast<std::size_t>(n)); };
      const auto key = [&](std::int64_t n) {
        return n == none ? HaloKey{0, none}
                         : HaloKey{node(n).output, outputs_[node(n).output].halos[node(n).row].track};
      };
      for (std::int64_t n = 0; n < static_cast<std::int64_t>(trees.first[t + 1] - trees.first[t]); ++n) {
        Links& of = links[key(n)];
        of.tree = t;
        of.descendant = key(node(n).descendant);
        for (std::int64_t p = node(n).first_progenitor; p != none; p = node(p).next_progenitor)
          of.progenitors.push_back(key(p));
        for (std::int64_t g = node(n).first_in_group; g != none; g = node(g).next_in_group) of.group.push_back(key(g));
      }
    }
    return links;
  }

 private:
  TrackMemory memory_;
  SubhaloShare share_;
  std::vector<TreeOutput> outputs_;
};

using HaloKey = PlantedHistory::HaloKey;
constexpr HaloKey no_halo{0, none};

const PlantedHalo massive_halo{
    .n = 2001, .mass = 2000, .scale = 0.06, .centre = {10, 10, 10}, .first_id = 1, .seed = 1};
const PlantedHalo middle_halo{
    .n = 301, .mass = 300, .scale = 0.02, .centre = {12, 10, 10}, .first_id = 10001, .seed = 2};
const PlantedHalo tiny_halo{
    .n = 61, .mass = 60, .scale = 0.008, .centre = {12.15, 10, 10}, .first_id = 20001, .seed = 3};

PlantedHalo halo_moved(PlantedHalo halo, Vec3d centre, Vec3d velocity = {}) {
  halo.centre = centre;
  halo.velocity = velocity;
  return halo;
}

/// The bodies of one halo with the places and velocities that members of another have, turned by 120 degrees.
std::vector<PlantedBody> scattered(std::vector<PlantedBody> bodies, const std::vector<PlantedBody>& in) {
  const auto turned = [](const Vec3d& d) { return Vec3d{d.y, d.z, d.x}; };
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies[i].x = in[0].x + turned(in[1 + (7 * i) % (in.size() - 1)].x - in[0].x);
    bodies[i].v = in[0].v + turned(in[1 + (13 * i + 5) % (in.size() - 1)].v - in[0].v);
  }
  return bodies;
}

TEST(PlantedHistories, AHaloFallsIsStrippedAndDissolves) {
  PlantedHistory h;
  h.add(together(h.bodies(massive_halo), h.bodies(middle_halo)));
  const std::int64_t host = h.track_of(massive_halo), satellite = h.track_of(middle_halo);
  ASSERT_EQ(h.at(satellite).parent, none);
  ASSERT_EQ(h.at(satellite).rank, 0);

  h.add(together(h.bodies(massive_halo), h.bodies(halo_moved(middle_halo, {10.5, 10, 10}, {-400, 0, 0}))));
  EXPECT_EQ(h.at(satellite).parent, host);
  EXPECT_EQ(h.at(satellite).rank, 1);
  EXPECT_EQ(h.at(satellite).number, 301U);

  // The outermost 150 are stripped: they are on the other side of the host, and go the other way.
  const auto stripped = [&](Vec3d centre) {
    std::vector<PlantedBody> inner = h.bodies(halo_moved(middle_halo, centre, {0, 400, 0}));
    std::vector<PlantedBody> outer = scattered({inner.end() - 150, inner.end()}, h.bodies(massive_halo));
    inner.resize(151);
    for (PlantedBody& body : outer) {
      body.x = {10 - std::fabs(body.x.x - 10), 10 - std::fabs(body.x.y - 10), body.x.z};
      body.v.y = -std::fabs(body.v.y);
    }
    return together(together(h.bodies(massive_halo), inner), outer);
  };
  for (const Vec3d centre : {Vec3d{10.3, 10.2, 10}, Vec3d{10.2, 10.3, 10}}) {
    h.add(stripped(centre));
    EXPECT_NEAR(static_cast<double>(h.at(satellite).number), 148, 4) << "the fastest of the inner ones may escape";
    EXPECT_EQ(h.at(satellite).most_bound, middle_halo.first_id);
    EXPECT_GT(h.at(host).number, 2001U + 130U) << "what the satellite lost is the host's";
  }
  const SubhaloShare& last =
      h.add(together(h.bodies(massive_halo), scattered(h.bodies(middle_halo), h.bodies(massive_halo))));
  ASSERT_EQ(last.ends.size(), 1U);
  EXPECT_EQ(last.ends[0].track, satellite);
  EXPECT_EQ(last.ends[0].descendant, host);
  EXPECT_EQ(last.ends[0].most_bound, middle_halo.first_id);
  EXPECT_EQ(h.of(satellite), nullptr);

  auto trees = h.trees();
  EXPECT_EQ((trees[{4, host}].progenitors), (std::vector<HaloKey>{{3, host}, {3, satellite}}));
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ((trees[{k, host}].descendant), (HaloKey{k + 1, host}));
    EXPECT_EQ((trees[{k, satellite}].descendant), k < 3 ? (HaloKey{k + 1, satellite}) : (HaloKey{4, host}));
    const HaloKey h_key{k, host}, s_key{k, satellite};
    EXPECT_EQ(trees[h_key].group, k > 0 ? (std::vector<HaloKey>{h_key, s_key}) : std::vector<HaloKey>{h_key});
    EXPECT_EQ(trees[s_key].group, k > 0 ? (std::vector<HaloKey>{h_key, s_key}) : std::vector<HaloKey>{s_key});
    EXPECT_EQ(trees[s_key].tree, 0U);
  }
}

/// Of the particles that a satellite loses, it remembers two for each that it keeps, the last lost first.
TEST(PlantedHistories, WhatASatelliteLosesMayComeBack) {
  for (const std::size_t kept : {201, 61}) {
    PlantedHistory h;
    h.add(together(h.bodies(massive_halo), h.bodies(middle_halo)));
    const std::int64_t satellite = h.track_of(middle_halo);
    std::vector<PlantedBody> cold = h.bodies(halo_moved(middle_halo, {10.5, 10, 10}, {-400, 0, 0}));
    for (PlantedBody& body : cold) body.v = Vec3d{-400, 0, 0} + 0.3 * (body.v - Vec3d{-400, 0, 0});
    std::vector<PlantedBody> excited = cold;
    for (std::size_t i = kept; i < excited.size(); ++i) excited[i].v.y += i % 2 == 0 ? 1500 : -1500;
    h.add(together(h.bodies(massive_halo), excited));
    ASSERT_NE(h.of(satellite), nullptr);
    EXPECT_EQ(h.at(satellite).number, kept);
    const std::size_t remembered = std::min<std::size_t>(301, 3 * kept);
    EXPECT_EQ(h.members(satellite).size(), remembered);
    h.add(together(h.bodies(massive_halo), cold));
    ASSERT_NE(h.of(satellite), nullptr);
    EXPECT_EQ(h.at(satellite).number, remembered);
  }
}

TEST(PlantedHistories, AFlybyLeavesBothTracks) {
  PlantedHistory h;
  h.add(together(h.bodies(massive_halo), h.bodies(middle_halo)));
  const std::int64_t host = h.track_of(massive_halo), passing = h.track_of(middle_halo);
  h.add(together(h.bodies(massive_halo), h.bodies(halo_moved(middle_halo, {10.5, 10, 10}, {-900, 0, 0}))));
  EXPECT_EQ(h.at(passing).parent, host);
  h.add(together(h.bodies(massive_halo), h.bodies(halo_moved(middle_halo, {8, 10, 10}, {-900, 0, 0}))));
  EXPECT_EQ(h.at(passing).parent, none);
  EXPECT_EQ(h.at(passing).rank, 0);
  EXPECT_EQ(h.track_of(middle_halo), passing);
  auto trees = h.trees();
  EXPECT_EQ((trees[{2, host}].progenitors), (std::vector<HaloKey>{{1, host}}));
  EXPECT_EQ((trees[{2, passing}].progenitors), (std::vector<HaloKey>{{1, passing}}));
  EXPECT_EQ((trees[{2, host}].descendant), no_halo);
  EXPECT_EQ((trees[{2, passing}].descendant), no_halo);
  EXPECT_EQ((trees[{2, passing}].group), (std::vector<HaloKey>{{2, passing}}));
  EXPECT_EQ((trees[{2, host}].tree), (trees[{2, passing}].tree)) << "they shared a group";
}

TEST(PlantedHistories, ASatellitesSatelliteIsInheritedByTheHost) {
  PlantedHistory h;
  h.add(
      together(together(h.bodies(massive_halo), h.bodies(middle_halo)), h.bodies(halo_moved(tiny_halo, {15, 10, 10}))));
  const std::int64_t host = h.track_of(massive_halo), middle = h.track_of(middle_halo), lowest = h.track_of(tiny_halo);
  h.add(together(together(h.bodies(massive_halo), h.bodies(middle_halo)),
                 h.bodies(halo_moved(tiny_halo, {12.15, 10, 10}, {0, 120, 0}))));
  EXPECT_EQ(h.at(lowest).parent, middle);
  const PlantedHalo in_host = halo_moved(middle_halo, {10.5, 10, 10}, {-400, 0, 0});
  const PlantedHalo with_it = halo_moved(tiny_halo, {10.65, 10, 10}, {-400, 120, 0});
  h.add(together(together(h.bodies(massive_halo), h.bodies(in_host)), h.bodies(with_it)));
  EXPECT_EQ(h.at(middle).parent, host);
  EXPECT_EQ(h.at(lowest).parent, middle);
  EXPECT_EQ(h.at(middle).rank, 1);
  EXPECT_EQ(h.at(lowest).rank, 2);
  EXPECT_EQ(h.at(lowest).parent_rank, 1);
  h.add(together(together(h.bodies(massive_halo), scattered(h.bodies(middle_halo), h.bodies(massive_halo))),
                 h.bodies(with_it)));
  EXPECT_EQ(h.of(middle), nullptr);
  ASSERT_NE(h.of(lowest), nullptr);
  EXPECT_EQ(h.at(lowest).parent, host) << "its parent ended";
  EXPECT_EQ(h.at(lowest).parent_rank, 0);
  h.add(together(together(h.bodies(massive_halo), h.bodies(middle_halo)), h.bodies(with_it)));
  EXPECT_EQ(h.track_of(middle_halo), 3) << "an ended track does not come back";
  EXPECT_EQ(h.kept(3).head.born, 4);
  EXPECT_EQ(h.kept(host).head.born, 0);
  auto trees = h.trees();
  EXPECT_EQ((trees[{3, host}].progenitors), (std::vector<HaloKey>{{2, host}, {2, middle}}));
  EXPECT_EQ((trees[{3, lowest}].progenitors), (std::vector<HaloKey>{{2, lowest}}));
  EXPECT_EQ((trees[{2, host}].group), (std::vector<HaloKey>{{2, host}, {2, middle}, {2, lowest}}));
}

/// Particles that a satellite's satellite loses, by sinking or by dispersing, are the satellite's and not the host's.
TEST(PlantedHistories, ASatelliteInheritsFromItsOwn) {
  const PlantedHalo in_host = halo_moved(middle_halo, {10.5, 10, 10}, {-400, 0, 0});
  for (const bool sinks : {true, false}) {
    PlantedHistory h;
    h.add(together(together(h.bodies(massive_halo), h.bodies(middle_halo)),
                   h.bodies(halo_moved(tiny_halo, {15, 10, 10}))));
    const std::int64_t host = h.track_of(massive_halo), middle = h.track_of(middle_halo),
                       lowest = h.track_of(tiny_halo);
    h.add(together(together(h.bodies(massive_halo), h.bodies(middle_halo)),
                   h.bodies(halo_moved(tiny_halo, {12.15, 10, 10}, {0, 120, 0}))));
    ASSERT_EQ(h.at(lowest).parent, middle);
    const std::vector<PlantedBody> gone = sinks ? h.bodies(halo_moved(tiny_halo, {10.5005, 10, 10}, {-400, 2, 0}))
                                                : scattered(h.bodies(tiny_halo), h.bodies(in_host));
    const SubhaloShare& share = h.add(together(together(h.bodies(massive_halo), h.bodies(in_host)), gone));
    ASSERT_EQ(share.ends.size(), 1U);
    EXPECT_EQ(share.ends[0].track, lowest);
    EXPECT_EQ(share.ends[0].descendant, middle);
    EXPECT_EQ(h.at(middle).parent, host);
    EXPECT_GT(h.at(middle).number, 301U + 50U);
    auto trees = h.trees();
    EXPECT_EQ((trees[{2, middle}].progenitors), (std::vector<HaloKey>{{1, middle}, {1, lowest}}));
  }
}

TEST(PlantedHistories, AHaloThatSinksEndsInItsHost) {
  PlantedHistory h;
  h.add(together(h.bodies(massive_halo), h.bodies(middle_halo)));
  const std::int64_t host = h.track_of(massive_halo), sinking = h.track_of(middle_halo);
  h.add(together(h.bodies(massive_halo), h.bodies(halo_moved(middle_halo, {10.2, 10, 10}, {0, 300, 0}))));
  ASSERT_NE(h.of(sinking), nullptr);
  const SubhaloShare& last =
      h.add(together(h.bodies(massive_halo), h.bodies(halo_moved(middle_halo, {10.002, 10, 10}, {0, 5, 0}))));
  ASSERT_EQ(last.ends.size(), 1U);
  EXPECT_EQ(last.ends[0].descendant, host);
  EXPECT_EQ(last.subhalos.size(), 1U);
  EXPECT_EQ(h.at(host).number, 2302U);
  auto trees = h.trees();
  EXPECT_EQ((trees[{1, sinking}].descendant), (HaloKey{2, host}));
  EXPECT_EQ((trees[{2, host}].progenitors), (std::vector<HaloKey>{{1, host}, {1, sinking}}));
}

/// Two halos of similar mass meet twice; the particles that fall in with them decide which of them moves slowest
/// relative to the group. Tracks keep their halos.
TEST(PlantedHistories, TwoHalosOfSimilarMassExchangeTheirRanks) {
  const PlantedHalo one{.n = 1001, .mass = 1000, .scale = 0.04, .first_id = 1, .seed = 1};
  const PlantedHalo two{.n = 901, .mass = 900, .scale = 0.04, .first_id = 10001, .seed = 2};
  PlantedHistory h;
  /// At a distance, with 600 further particles that move with `company`.
  const auto meet = [&](double distance, double company) {
    std::vector<PlantedBody> all = together(h.bodies(halo_moved(one, {10, 10, 10}, {400, 0, 0})),
                                            h.bodies(halo_moved(two, {10 + distance, 10, 10}, {-400, 0, 0})));
    for (std::uint64_t k = 0; k < 600; ++k) {
      const double x = -0.5 + 0.002 * static_cast<double>(k);
      all.push_back({30000 + k, {10 + x, 10.6 + 0.1 * std::sin(1.0 * k), 10}, {company, 9000, 0}, 1});
    }
    h.add(all);
  };
  meet(5, 0);
  const std::int64_t first = h.track_of(one), second = h.track_of(two);
  ASSERT_NE(first, second);
  meet(0.5, -400);
  EXPECT_EQ(h.at(second).rank, 0) << "the slower";
  EXPECT_EQ(h.at(second).parent, none);
  EXPECT_EQ(h.at(first).rank, 1) << "though it is the larger";
  EXPECT_EQ(h.at(first).parent, second);
  EXPECT_GT(h.at(first).number, h.at(second).number);
  meet(5, 0);
  EXPECT_EQ(h.at(first).parent, none);
  meet(0.5, 400);
  EXPECT_EQ(h.at(first).rank, 0);
  EXPECT_EQ(h.at(second).parent, first);
  auto trees = h.trees();
  for (std::size_t k = 0; k < 3; ++k)
    for (const std::int64_t track : {first, second}) EXPECT_EQ((trees[{k, track}].descendant), (HaloKey{k + 1, track}));
  EXPECT_EQ((trees[{1, first}].group), (std::vector<HaloKey>{{1, second}, {1, first}}));
  EXPECT_EQ((trees[{3, first}].group), (std::vector<HaloKey>{{3, first}, {3, second}}));
}

/// Below 0.8 times the number of the largest, a halo does not become the central, however slow it is.
TEST(PlantedHistories, AMuchSmallerHaloIsNotTheCentral) {
  for (const std::size_t n : {1501, 1701}) {
    const PlantedHalo slow{.n = n, .mass = static_cast<double>(n), .scale = 0.05, .first_id = 10001, .seed = 2};
    PlantedHistory h;
    h.add(together(h.bodies(massive_halo), h.bodies(halo_moved(slow, {14, 10, 10}))));
    const std::int64_t track = h.track_of(slow);
    std::vector<PlantedBody> all = together(h.bodies(halo_moved(massive_halo, {10, 10, 10}, {800, 0, 0})),
                                            h.bodies(halo_moved(slow, {10.5, 10, 10})));
    for (std::uint64_t k = 0; k < 2000; ++k)
      all.push_back(
          {30000 + k, {10 + 2e-4 * static_cast<double>(k), 10.6, 10}, {-100, 9000.0 * (k % 2 == 0 ? 1 : -1), 0}, 1});
    h.add(all);
    EXPECT_EQ(h.at(track).rank, n > 1600 ? 0 : 1);
  }
}

/// A track is kept while its group is missing at up to four outputs; then its particles are a new halo.
TEST(PlantedHistories, AHaloMayVanishForFourOutputs) {
  for (const std::size_t missing : {1, 3, 4, 5}) {
    PlantedHistory h;
    h.add(together(h.bodies(massive_halo), h.bodies(middle_halo)));
    const std::int64_t host = h.track_of(massive_halo), track = h.track_of(middle_halo);
    std::size_t lost = 0;
    for (std::size_t k = 0; k < missing; ++k) {
      std::vector<PlantedBody> apart = h.bodies(middle_halo);
      for (std::size_t i = 0; i < apart.size(); ++i)
        apart[i].x = {0.5 + static_cast<double>(i % 7), 0.5 + static_cast<double>(i / 7 % 7),
                      0.5 + static_cast<double>(i / 49)};
      for (const TrackEnd& end : h.add(together(h.bodies(massive_halo), apart)).ends) {
        EXPECT_EQ(end.track, track);
        EXPECT_EQ(end.descendant, none);
        EXPECT_EQ(end.most_bound, middle_halo.first_id);
        ++lost;
      }
      EXPECT_EQ(h.of(track), nullptr);
      if (k < 4) {
        EXPECT_EQ(h.kept(track).head.missed, static_cast<std::int32_t>(k) + 1);
      }
    }
    h.add(together(h.bodies(massive_halo), h.bodies(middle_halo)));
    EXPECT_EQ(lost, missing > 4 ? 1U : 0U);
    EXPECT_EQ(h.track_of(middle_halo) == track, missing <= 4) << missing;
    auto trees = h.trees();
    EXPECT_EQ((trees[{0, track}].descendant), missing <= 4 ? (HaloKey{missing + 1, track}) : no_halo);
    EXPECT_EQ((trees[{missing + 1, host}].progenitors), (std::vector<HaloKey>{{missing, host}}));
  }
}

/// The same while its particles are a group, but fly apart.
TEST(PlantedHistories, AHaloMayBeUnboundForFourOutputs) {
  for (const std::size_t missing : {4, 5}) {
    PlantedHistory h;
    h.add(h.bodies(middle_halo));
    const std::int64_t track = h.track_of(middle_halo);
    std::size_t lost = 0;
    for (std::size_t k = 0; k < missing; ++k) {
      std::vector<PlantedBody> hot = h.bodies(middle_halo);
      for (PlantedBody& body : hot) body.v = 50.0 * body.v;
      const SubhaloShare& share = h.add(hot);
      EXPECT_EQ(share.groups.size(), 1U);
      EXPECT_TRUE(share.subhalos.empty());
      for (const TrackEnd& end : share.ends) {
        EXPECT_EQ(end.descendant, none);
        ++lost;
      }
    }
    h.add(h.bodies(middle_halo));
    EXPECT_EQ(lost, missing > 4 ? 1U : 0U);
    EXPECT_EQ(h.track_of(middle_halo) == track, missing <= 4) << missing;
  }
}

/// Of equals, the lower track comes first.
TEST(PlantedHistories, TiesAreDecidedByTheirNames) {
  PlantedHalo twin = middle_halo, other = middle_halo;
  twin.first_id = 30001;
  other.first_id = 40001;
  PlantedHistory h;
  h.add(together(together(h.bodies(massive_halo), h.bodies(halo_moved(middle_halo, {13, 10, 10}))),
                 together(h.bodies(halo_moved(twin, {10, 13, 10})), h.bodies(halo_moved(other, {10, 10, 13})))));
  const std::int64_t host = h.track_of(massive_halo), a = h.track_of(middle_halo), b = h.track_of(twin),
                     c = h.track_of(other);
  EXPECT_LT(a, b);
  EXPECT_LT(b, c);
  h.add(together(together(h.bodies(massive_halo), h.bodies(halo_moved(other, {9.6, 10, 10.2}, {0, 300, 0}))),
                 together(h.bodies(halo_moved(twin, {10, 10.4, 10}, {300, 0, 0})),
                          h.bodies(halo_moved(middle_halo, {10.4, 10, 10}, {0, -300, 0})))));
  EXPECT_EQ(h.at(a).rank, 1);
  EXPECT_EQ(h.at(b).rank, 2);
  EXPECT_EQ(h.at(c).rank, 3);
  std::vector<PlantedBody> rest = h.bodies(massive_halo);
  for (const PlantedHalo& each : {middle_halo, twin, other})
    rest = together(rest, scattered(each.bodies(h.next()), h.bodies(massive_halo)));
  h.add(rest);
  auto trees = h.trees();
  EXPECT_EQ((trees[{2, host}].progenitors), (std::vector<HaloKey>{{1, host}, {1, a}, {1, b}, {1, c}}));
}

/// The most bound particles come to lie in two groups: most of the first 20 decide or, if they are as many, the name.
TEST(PlantedHistories, TheMostBoundParticlesElectTheGroup) {
  for (const std::size_t here : {9, 10, 11}) {
    PlantedHistory h;
    h.add(h.bodies(middle_halo));
    const std::int64_t track = h.track_of(middle_halo);
    const std::vector<std::uint64_t> member = h.members(track);
    std::vector<PlantedBody> bodies = h.bodies(middle_halo);
    for (std::size_t k = 0; k < member.size(); ++k) {
      PlantedBody& body = bodies.at(member[k] - middle_halo.first_id);
      body.v = 0.4 * body.v;  // half of the mass holds it together
      if (k < 20 ? k >= here : k % 3 > 0) body.x += Vec3d{5, 0, 0};
    }
    ASSERT_EQ(h.add(bodies).groups.size(), 2U);
    ASSERT_NE(h.of(track), nullptr);
    EXPECT_EQ(h.at(track).group == middle_halo.first_id, here >= 10) << here;
  }
}

}  // namespace
}  // namespace multiwalk
