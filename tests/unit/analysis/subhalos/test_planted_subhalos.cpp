// SPDX-License-Identifier: GPL-3.0-or-later
// Subhalos of known properties at a = 0.4, 0.7 and 1, in boxes and in a vacuum.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/subhalos/subhalo_tracker.hpp"
#include "tests/unit/analysis/subhalos/planted_halos.hpp"

namespace multiwalk {
namespace {

using test::comoving_system;
using test::Epoch;
using test::PlantedBody;
using test::PlantedHalo;

constexpr double planted_rounding = 3e-7;  ///< of single precision

/// The mass within the farthest body up to which the mean density is at least `density`.
double mass_in_sphere(std::vector<PlantedBody> bodies, const Vec3d& centre, double density) {
  const auto distance = [&](const PlantedBody& b) { return norm(b.x - centre); };
  std::ranges::sort(bodies, {}, distance);
  double within = 0, mass = 0;
  for (const PlantedBody& b : bodies) {
    within += b.mass;
    if (within >= density * 4 * std::numbers::pi / 3 * std::pow(distance(b), 3)) mass = within;
  }
  return mass;
}

/// Where: the side of a box, or 0. The host lies on a corner of the box.
class PlantedSubhalos : public testing::TestWithParam<std::tuple<double, double>> {
 protected:
  const Epoch epoch{std::get<0>(GetParam())};
  const double side = std::get<1>(GetParam());
  static constexpr double softening = 1e-4, spacing = 2;

  [[nodiscard]] PlantedHalo host() const {
    return {.n = 4001,
            .mass = 4000,
            .scale = 0.08,
            .centre = {0.02, -0.03, 0.01},
            .velocity = {310, -120, 70},
            .first_id = 1,
            .seed = 5,
            .axis = {1 / 3.0, 2 / 3.0, -2 / 3.0}};
  }
  /// `distance`: physical, from the host.
  [[nodiscard]] PlantedHalo satellite(double distance) const {
    return {.n = 801,
            .mass = 400,
            .scale = 0.02,
            .centre = host().centre + (distance / epoch.a) * Vec3d{0.6, 0, -0.8},
            .velocity = {-200, 340, 500},
            .first_id = 10001,
            .seed = 6,
            .axis = {-2 / 3.0, 1 / 3.0, 2 / 3.0}};
  }

  SubhaloShare follow(TrackMemory& memory, const std::vector<PlantedBody>& bodies, const Epoch& at) const {
    return follow_subhalos(memory, comoving_system(bodies, at, side, spacing), {}, {}, {.softening = softening});
  }

  void expect_planted(const Subhalo& s, const PlantedHalo& planted) const {
    EXPECT_EQ(s.number, planted.n);
    EXPECT_EQ(s.most_bound, planted.first_id);
    EXPECT_NEAR(s.mass / planted.mass, 1, planted_rounding);
    for (const Vec3d& place : {s.centre, s.centre_of_mass})
      EXPECT_LT(norm(separation(planted.centre, place, side)), planted_rounding);
    EXPECT_EQ(s.centre, wrapped(s.centre, side));
    EXPECT_LT(norm(s.velocity - planted.velocity), planted_rounding * norm(planted.velocity));
    const double each = 1.0 / static_cast<double>(planted.n);
    EXPECT_NEAR(s.v_max / planted.v_max(), 1, 4 * each);
    EXPECT_NEAR(s.r_max * epoch.a / (std::sqrt(2) * planted.scale), 1, 0.4 * std::sqrt(each));
    EXPECT_NEAR(s.half_mass_radius * epoch.a / planted.half_mass_radius(), 1, 5 * each);
    EXPECT_GT(norm(planted.spin(epoch)), 0.3 * planted.v_max() * planted.scale);
    EXPECT_LT(norm(s.spin - planted.spin(epoch)), planted_rounding * norm(planted.spin(epoch)));
    double square = 0;
    for (const PlantedBody& b : planted.bodies(epoch)) square += each * norm2(b.v - planted.velocity);
    EXPECT_NEAR(s.velocity_dispersion / std::sqrt(square / 3), 1, planted_rounding);
  }
};

TEST_P(PlantedSubhalos, HaveTheirProperties) {
  TrackMemory memory;
  const PlantedHalo fallen = satellite(0.5);
  const Epoch before{0.9 * epoch.a};
  const SubhaloShare apart =
      follow(memory, together(host().bodies(before), satellite(side > 0 ? 2.4 * epoch.a : 5).bodies(before)), before);
  ASSERT_EQ(apart.groups.size(), 2U);
  SubhaloShare met = follow(memory, together(host().bodies(epoch), fallen.bodies(epoch)), epoch);
  ASSERT_EQ(met.groups.size(), 1U);
  ASSERT_EQ(met.subhalos.size(), 2U);
  EXPECT_TRUE(met.ends.empty());
  std::ranges::sort(met.subhalos, {}, &Subhalo::rank);
  expect_planted(met.subhalos[0], host());
  expect_planted(met.subhalos[1], fallen);
  EXPECT_EQ(met.subhalos[0].parent, none);
  EXPECT_EQ(met.subhalos[1].parent, met.subhalos[0].track);
  EXPECT_EQ(met.subhalos[1].parent_rank, 0);

  const SubhaloGroup& group = met.groups.front();
  EXPECT_EQ(group.id, 1U);
  EXPECT_EQ(group.number, 4802U);
  EXPECT_EQ(group.subhalos, 2);
  EXPECT_NEAR(group.mass / 4400, 1, planted_rounding);
  EXPECT_LT(norm(separation(host().centre, group.centre, side)), planted_rounding);
  const Vec3d mean = (1 / 11.0) * (10.0 * host().centre + fallen.centre);
  EXPECT_LT(norm(separation(mean, group.centre_of_mass, side)), planted_rounding);
  const Vec3d velocity = (1 / 11.0) * (10.0 * host().velocity + fallen.velocity);
  EXPECT_LT(norm(group.velocity - velocity), planted_rounding * norm(velocity));
  // The satellite counts where it lies in a sphere about the host.
  const std::vector<PlantedBody> all = together(host().bodies(epoch), fallen.bodies(epoch));
  const double critical = epoch.critical_density() * epoch.a * epoch.a * epoch.a;
  EXPECT_NEAR(group.spheres.crit200.mass / mass_in_sphere(all, host().centre, 200 * critical), 1, planted_rounding);
  EXPECT_NEAR(group.spheres.crit500.mass / mass_in_sphere(all, host().centre, 500 * critical), 1, planted_rounding);
}

/// A wide halo alone: most of its spheres cut it.
TEST_P(PlantedSubhalos, GroupsHaveTheirSphericalMasses) {
  TrackMemory memory;
  PlantedHalo wide = host();
  wide.scale = 0.16;
  const SubhaloShare share =
      follow_subhalos(memory, comoving_system(wide.bodies(epoch), epoch, side, 6), {}, {}, {.softening = softening});
  ASSERT_EQ(share.groups.size(), 1U);
  ASSERT_EQ(share.groups[0].number, wide.n);
  const double critical = epoch.critical_density(),
               mean = 0.3111 * 3e4 / (8 * std::numbers::pi * 43.0092) / (epoch.a * epoch.a * epoch.a);
  // Bryan & Norman (1998), equation 6.
  const double x = mean / critical - 1, virial = 18 * std::numbers::pi * std::numbers::pi + 82 * x - 39 * x * x;
  const HaloSpheres& found = share.groups.front().spheres;
  for (const auto& [sphere, density] :
       {std::pair{found.crit200, 200 * critical}, std::pair{found.crit500, 500 * critical},
        std::pair{found.mean200, 200 * mean}, std::pair{found.virial, virial * critical}}) {
    const double radius = wide.radius_of_density(density);
    EXPECT_NEAR(sphere.radius * epoch.a / radius, 1, 1e-3);
    EXPECT_NEAR(sphere.mass / wide.mass_within(radius), 1, 3e-3);
  }
}

/// About the edge of binding: particles that move outwards with 0.95 and 1.05 times the velocity of escape.
TEST_P(PlantedSubhalos, KeepWhatIsSlowerThanEscape) {
  std::vector<PlantedBody> bodies = host().bodies(epoch);
  const std::size_t inside = bodies.size();
  for (std::uint64_t k = 0; k < 40; ++k) {
    const double r = (0.5 + 0.08 * static_cast<double>(k)) * host().scale, speed = k % 2 == 0 ? 0.95 : 1.05;
    const Vec3d along{std::cos(1.0 * k), std::sin(1.0 * k) * 0.6, std::sin(1.0 * k) * 0.8};
    const Vec3d u = speed * host().escape_velocity(r) * along;
    bodies.push_back(
        {20000 + k, host().centre + (r / epoch.a) * along, host().velocity + u - epoch.hubble() * r * along, 1e-6});
  }
  TrackMemory memory;
  const SubhaloShare share = follow(memory, bodies, epoch);
  ASSERT_EQ(share.subhalos.size(), 1U);
  EXPECT_EQ(share.subhalos[0].number, inside + 20);
  const std::vector<std::uint64_t>& members = memory.tracks.at(0).member;
  for (std::size_t k = 0; k < inside + 20; ++k) EXPECT_TRUE(members[k] < 20000 || members[k] % 2 == 0) << members[k];
}

/// At rest in comoving coordinates, what is farther than (2 G M / (a^3 H^2))^(1/3) flows away with the expansion.
TEST_P(PlantedSubhalos, LoseWhatTheExpansionCarriesAway) {
  const PlantedHalo heavy{.n = 501, .mass = 20, .scale = 0.005, .centre = host().centre, .first_id = 1};
  std::vector<PlantedBody> bodies = heavy.bodies(epoch);
  for (PlantedBody& body : bodies) body.v = {};
  const double edge = std::cbrt(2 * 43.0092 * heavy.mass / std::pow(epoch.hubble(), 2)) / epoch.a;
  for (std::uint64_t k = 0; k < 20; ++k) {
    const Vec3d along{std::cos(1.0 * k), std::sin(1.0 * k) * 0.6, std::sin(1.0 * k) * 0.8};
    bodies.push_back({1000 + k, heavy.centre + (k % 2 == 0 ? 0.97 : 1.03) * edge * along, {}, 1e-8});
  }
  TrackMemory memory;
  const SubhaloShare share =
      follow_subhalos(memory, comoving_system(bodies, epoch, side, 6 * edge), {}, {}, {.softening = softening});
  ASSERT_EQ(share.groups.size(), 1U);
  ASSERT_EQ(share.groups[0].number, 521U);
  EXPECT_EQ(share.subhalos.at(0).number, 511U);
  const std::vector<std::uint64_t>& members = memory.tracks.at(0).member;
  for (std::size_t k = 0; k < 511; ++k) EXPECT_TRUE(members[k] < 1000 || members[k] % 2 == 0) << members[k];
}

INSTANTIATE_TEST_SUITE_P(Epochs, PlantedSubhalos,
                         testing::Combine(testing::Values(0.4, 0.7, 1.0), testing::Values(0.0, 5.0)));

}  // namespace
}  // namespace multiwalk
