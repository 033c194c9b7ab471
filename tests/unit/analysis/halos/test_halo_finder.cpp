// SPDX-License-Identifier: GPL-3.0-or-later
// Halos whose masses, radii and motions are known.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "analysis/halos/group_order.hpp"
#include "analysis/halos/halo_finder.hpp"
#include "analysis/halos/halo_structure.hpp"
#include "analysis/halos/profiles.hpp"
#include "analysis/halos/spherical_overdensity.hpp"
#include "host/base/error.hpp"
#include "host/base/separation.hpp"
#include "host/base/units.hpp"
#include "tests/support/brute_friends.hpp"

namespace multiwalk {
namespace {

/// Periodic, with the spacing of per_side^3 particles; none in it yet.
ParticleSystem box_of(double side, int per_side) {
  ParticleSystem system;
  system.boundary = Boundary::periodic;
  system.box_size = side;
  system.spacing = side / per_side;
  system.time = 0.8;
  return system;
}

std::vector<Halo> halos_of(const ParticleSystem& system, double linking, std::uint64_t min_particles) {
  return find_halos(system, DomainMap(), CosmologyParameters(), {linking, min_particles}).halos;
}

/// As the mean density gives it.
double particle_mass(const ParticleSystem& system, const CosmologyParameters& cosmology) {
  return cosmology.omega_m * units::critical_density * std::pow(system.spacing, 3);
}

/// Adds n particles about `centre` in a random direction each, at radius(u) for u uniform in (0, 1).
template <class Radius>
void add_sphere(ParticleSystem& system, std::size_t n, Vec3d centre, float mass, Radius radius) {
  ParticleStore& p = system.particles;
  const std::size_t before = p.size();
  p.resize(before + n);
  std::mt19937_64 random(before + 5);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  for (std::size_t i = before; i < p.size(); ++i) {
    const Vec3d direction{normal(random), normal(random), normal(random)};
    p.position[i] = wrapped(centre + (radius(uniform(random)) / norm(direction)) * direction, system.box_size);
    p.velocity[i] = static_cast<Vec3f>(Vec3d{80 + 24 * normal(random), 24 * normal(random), -40 + 24 * normal(random)});
    p.mass[i] = mass;
    p.id[i] = i;
  }
}

/// Isothermal: M(<r) grows as r to the edge, so the sphere of density D has R^2 = M_edge / (r_edge 4/3 pi D).
TEST(HaloFinder, IsothermalSphereHasItsMassesAcrossAFace) {
  const CosmologyParameters cosmology;
  ParticleSystem system = box_of(40, 64);
  const double m = particle_mass(system, cosmology), edge = 3.5;
  const std::size_t n = 100000;
  const Vec3d centre{0.2, 39.9, 20};
  add_sphere(system, n, centre, static_cast<float>(m), [&](double u) { return edge * u; });
  const std::vector<Halo> halos = halos_of(system, 0.2, 32);
  ASSERT_GE(halos.size(), 1U);
  const Halo& halo = halos[0];
  EXPECT_LT(norm(separation(centre, halo.centre, 40)), 0.02 * edge);
  EXPECT_LT(norm(separation(centre, halo.centre_of_mass, 40)), 0.02 * edge);
  EXPECT_NEAR(halo.mass, static_cast<double>(halo.number) * static_cast<double>(static_cast<float>(m)), 1e-6);
  EXPECT_GT(halo.extent, 0.5 * edge);
  EXPECT_LT(halo.extent, 1.02 * edge);
  const OverdensityThresholds t = overdensity_thresholds(Expansion(cosmology), system.time);
  const double total = m * static_cast<double>(n);
  const auto expect_sphere = [&](const SphericalMass& sphere, double density) {
    const double radius = std::sqrt(total / (edge * 4 * std::numbers::pi / 3 * density));
    ASSERT_LT(radius, edge);
    const double inside = static_cast<double>(n) * radius / edge;
    // R goes as the square root of the mass per radius; three Poisson deviations and the centre's error.
    EXPECT_NEAR(sphere.radius / radius, 1, 0.003 + 3 / std::sqrt(inside));
    EXPECT_NEAR(sphere.mass / (total * radius / edge), 1, 0.003 + 3 / std::sqrt(inside));
    EXPECT_NEAR(sphere.mass / (4 * std::numbers::pi / 3 * std::pow(sphere.radius, 3)) / density, 1, 1e-9);
  };
  expect_sphere(halo.crit200, t.crit200);
  expect_sphere(halo.crit500, t.crit500);
  expect_sphere(halo.mean200, t.mean200);
  expect_sphere(halo.virial, t.virial);
  // M / r is the same everywhere, to the noise of at least 20 particles.
  const double level = std::sqrt(units::gravitational_constant * total / (system.time * edge));
  EXPECT_GT(halo.v_max, level * 0.99);
  EXPECT_LT(halo.v_max, level * 1.25);
  // p = a v.
  EXPECT_NEAR(halo.velocity.x, 100, 0.5);
  EXPECT_NEAR(halo.velocity.y, 0, 0.5);
  EXPECT_NEAR(halo.velocity.z, -50, 0.5);
  EXPECT_NEAR(halo.velocity_dispersion, 30, 0.3);
}

/// Spheres hold all particles: those of a cloud of loose ones about a core too.
TEST(HaloFinder, SpheresCountParticlesOutsideTheGroup) {
  const CosmologyParameters cosmology;
  ParticleSystem system = box_of(40, 64);
  const double m = particle_mass(system, cosmology);
  add_sphere(system, 2000, {20, 20, 20}, static_cast<float>(m), [](double u) { return 0.3 * std::cbrt(u); });
  const double alone = halos_of(system, 0.2, 32)[0].mean200.mass;
  add_sphere(system, 200, {20, 20, 20}, static_cast<float>(m), [](double u) { return 0.6 + 0.1 * u; });
  const std::vector<Halo> halos = halos_of(system, 0.1, 32);
  EXPECT_EQ(halos[0].number, 2000U);
  EXPECT_NEAR(halos[0].mean200.mass, alone + 200 * m, 1e-3 * m);
}

/// Of the members by their distance from `centre` the one with this place.
std::size_t member_at(const ParticleSystem& system, Vec3d centre, std::size_t place) {
  std::vector<std::pair<double, std::size_t>> by_distance;
  for (std::size_t i = 0; i < system.particles.size(); ++i)
    by_distance.emplace_back(norm(separation(centre, system.particles.position[i], system.box_size)), i);
  std::ranges::sort(by_distance);
  return by_distance[place].second;
}

TEST(HaloFinder, CentreIsTheLeastPotentialInTheMiddle) {
  ParticleSystem system = box_of(40, 64);
  const Vec3d middle{0.01, 20, 39.99};
  add_sphere(system, 500, middle, 1.0F, [](double u) { return 0.5 * u; });
  for (float& phi : system.particles.potential) phi = -1;
  system.particles.potential[member_at(system, middle, 3)] = -2;
  system.particles.potential[member_at(system, middle, 400)] = -3;
  const Vec3d centre = halos_of(system, 0.5, 32)[0].centre;
  EXPECT_LT(norm(separation(centre, system.particles.position[member_at(system, middle, 3)], 40)), 1e-12);
}

/// Its members nearest to a massive neighbour are deepest in the potential of all.
TEST(HaloFinder, CentreOfASmallGroupIsNotItsEdgeBesideALargeOne) {
  ParticleSystem system = box_of(40, 64);
  const Vec3d middle{20, 20, 20};
  const auto isothermal = [](double u) { return 0.4 * u; };
  add_sphere(system, 40, middle, 1.0F, isothermal);
  add_sphere(system, 3000, middle + Vec3d{1.2, 0, 0}, 1.0F, isothermal);
  ParticleStore& p = system.particles;
  std::size_t lowest = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    double sum = 0;
    for (const Vec3d& x : p.position) sum -= 1 / std::sqrt(norm2(x - p.position[i]) + 0.02 * 0.02);
    p.potential[i] = static_cast<float>(sum);
    if (p.potential[i] < p.potential[lowest]) lowest = i;
  }
  ASSERT_GT(norm(p.position[lowest] - middle), 0.3);  // not a test else
  const std::vector<Halo> halos = halos_of(system, 0.5, 32);
  ASSERT_EQ(halos.size(), 2u);
  EXPECT_LT(norm(halos[1].centre - middle), 0.1);
}

TEST(HaloFinder, NoConcentrationWithoutACircularVelocity) {
  ParticleSystem system = box_of(40, 64);
  add_sphere(system, 12, {20, 20, 20}, static_cast<float>(particle_mass(system, {})), [](double u) { return 0.1 * u; });
  const Halo halo = halos_of(system, 0.5, 10)[0];
  EXPECT_GT(halo.crit200.mass, 0);
  EXPECT_EQ(halo.v_max, 0);
  EXPECT_EQ(halo.concentration, 0);
}

/// Enough particles for several threads in every pass.
TEST(HaloFinder, TheSameBitForBitWithAnyNumberOfThreads) {
  ParticleSystem system = box_of(5, 50);
  system.particles = test::clumpy_box(150000, 5, 9, false);
  for (std::size_t i = 0; i < system.particles.size(); ++i)
    system.particles.potential[i] = -static_cast<float>(system.particles.id[i] % 100);
  const int before = omp_get_max_threads();
  std::vector<HaloCatalogue> found;
  std::vector<ParticleStore> ordered;
  for (const int threads : {1, 2, 7}) {
    omp_set_num_threads(threads);
    found.push_back(find_halos(system, DomainMap(), CosmologyParameters(), {0.2, 20}));
    ordered.push_back(particles_by_group(found.back(), system.particles));
  }
  omp_set_num_threads(before);
  ASSERT_GT(found[0].halos.size(), 100U);
  for (std::size_t k = 1; k < found.size(); ++k) {
    ASSERT_EQ(found[k].halos.size(), found[0].halos.size());
    for (std::size_t h = 0; h < found[0].halos.size(); ++h)
      EXPECT_EQ(std::memcmp(&found[k].halos[h], &found[0].halos[h], sizeof(Halo)), 0) << h;
    EXPECT_EQ(found[k].members.member, found[0].members.member);
    EXPECT_EQ(ordered[k].id, ordered[0].id);
  }
}

TEST(HaloFinder, ParticlesComeInTheOrderOfTheHalosThenById) {
  ParticleSystem system = box_of(5, 50);
  system.particles = test::clumpy_box(100000, 5, 9);
  const HaloCatalogue catalogue = find_halos(system, DomainMap(), CosmologyParameters(), {0.2, 20});
  const ParticleStore ordered = particles_by_group(catalogue, system.particles);
  const std::vector<std::uint64_t> members = member_ids(catalogue, system.particles.id);
  ASSERT_EQ(ordered.size(), system.particles.size());
  ASSERT_TRUE(std::equal(members.begin(), members.end(), ordered.id.begin()));
  EXPECT_TRUE(std::is_sorted(ordered.id.begin() + static_cast<std::ptrdiff_t>(members.size()), ordered.id.end()));
  std::size_t at = 0;
  for (const Halo& halo : catalogue.halos) {
    EXPECT_EQ(members[at], halo.id);
    EXPECT_TRUE(std::is_sorted(&members[at], &members[at] + halo.number));
    at += halo.number;
  }
  EXPECT_EQ(at, members.size());
  std::vector<std::size_t> place(system.particles.size());
  for (std::size_t i = 0; i < place.size(); ++i) place[system.particles.id[i]] = i;
  for (std::size_t k = 0; k < ordered.size(); ++k)
    ASSERT_EQ(ordered.position[k], system.particles.position[place[ordered.id[k]]]);
}

TEST(HaloFinder, ListsByMassThenId) {
  ParticleSystem system;
  system.particles = test::clumpy_box(8000, 5, 8);
  system.boundary = Boundary::periodic;
  system.box_size = 5;
  system.spacing = 5 / std::cbrt(8000.0);
  const ParticleStore before = system.particles;
  const std::vector<Halo> halos = halos_of(system, 0.2, 20);
  const auto group = test::brute_friends(before.position, before.id, 0.2 * system.spacing, 5);
  std::size_t expected = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (group[i] != before.id[i]) continue;
    const auto number = static_cast<std::uint64_t>(std::ranges::count(group, group[i]));
    if (number < 20) continue;
    ++expected;
    const auto halo = std::ranges::find(halos, before.id[i], &Halo::id);
    ASSERT_NE(halo, halos.end());
    EXPECT_EQ(halo->number, number);
    EXPECT_EQ(halo->mass, static_cast<double>(number));
  }
  EXPECT_GT(expected, 20U);
  EXPECT_EQ(halos.size(), expected);
  for (std::size_t h = 1; h < halos.size(); ++h)
    EXPECT_TRUE(halos[h - 1].mass > halos[h].mass ||
                (halos[h - 1].mass == halos[h].mass && halos[h - 1].id < halos[h].id));
}

double nfw_mass(double x) {
  return std::log1p(x) - x / (1 + x);
}

/// The radius in scale radii within which an NFW sphere has this mass.
double nfw_radius(double mass) {
  double low = 0, high = 1e3;
  while (high - low > 1e-9 * high) {
    const double middle = 0.5 * (low + high);
    (nfw_mass(middle) < mass ? low : high) = middle;
  }
  return high;
}

/// Navarro, Frenk & White's profile out to 1.3 R200.
TEST(HaloFinder, ConcentrationIsThatOfTheProfile) {
  const CosmologyParameters cosmology;
  for (const double c : {5.0, 12.0}) {
    ParticleSystem system = box_of(40, 64);
    const double m = particle_mass(system, cosmology), n200 = 60000;
    const double density = overdensity_thresholds(Expansion(cosmology), system.time).crit200;
    const double r200 = std::cbrt(n200 * m / (4 * std::numbers::pi / 3 * density));
    const double whole = nfw_mass(1.3 * c);
    add_sphere(system, static_cast<std::size_t>(n200 * whole / nfw_mass(c)), {39.9, 20, 0.1}, static_cast<float>(m),
               [&](double u) { return r200 / c * nfw_radius(u * whole); });
    const Halo halo = halos_of(system, 0.2, 32).at(0);
    EXPECT_NEAR(halo.crit200.radius / r200, 1, 0.01);
    EXPECT_NEAR(halo.concentration / c, 1, 0.05);
    const double v200 = std::sqrt(units::gravitational_constant * n200 * m / (system.time * r200));
    EXPECT_NEAR(halo.v_max / v200, std::sqrt(0.21622 * c / nfw_mass(c)), 0.01 * halo.v_max / v200);
  }
}

/// A halo of uniform density, within its r200, that rotates rigidly and streams outwards at `stream` times the Hubble
/// flow.
struct TurningSphere {
  Halo halo;
  double mass, r200, R, turn, hubble;  ///< physical; turn and H(a) in km/s per Mpc/h

  TurningSphere(std::size_t n, double stream) {
    const CosmologyParameters cosmology;
    const Expansion expansion(cosmology);
    ParticleSystem system = box_of(40, 64);
    const double a = system.time, m = particle_mass(system, cosmology);
    mass = m * static_cast<double>(n);
    hubble = expansion.hubble(a);
    const double density = overdensity_thresholds(expansion, a).crit200;
    r200 = a * std::cbrt(mass / (4 * std::numbers::pi / 3 * density));
    R = 0.7 * r200;
    turn = 0.9 * std::sqrt(units::gravitational_constant * mass / std::pow(R, 3));
    const Vec3d centre{0.05, 20, 39.95};
    add_sphere(system, n, centre, static_cast<float>(m), [&](double u) { return R / a * std::cbrt(u); });
    ParticleStore& p = system.particles;
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3d place = a * separation(centre, p.position[i], 40);
      const Vec3d velocity = Vec3d{300, -20, 7} + cross(Vec3d{0, 0, turn}, place) + stream * hubble * place;
      p.velocity[i] = static_cast<Vec3f>(a * velocity);
    }
    halo = halos_of(system, 0.3, 32).at(0);
  }

  /// J = 2/5 M R^2 W for unit mass.
  [[nodiscard]] double specific() const { return 0.4 * turn * R * R; }
  /// Peebles' parameter, J |E|^(1/2) / (G M^(5/2)).
  [[nodiscard]] double energy() const {
    const double root = halo.spin_peebles * units::gravitational_constant * std::pow(mass, 1.5) / norm(halo.spin);
    return root * root;
  }
};

/// J = 2/5 M R^2 W, T = 1/2 J W, potential energy -3/5 G M^2 / R.
TEST(HaloFinder, SpinIsThatOfARigidSphere) {
  for (const std::size_t n : {std::size_t{900}, std::size_t{20000}}) {  // all pairs, and a sample of them
    const TurningSphere sphere(n, 0);
    const Halo& halo = sphere.halo;
    constexpr double G = units::gravitational_constant;
    const double mass = sphere.mass, R = sphere.R, j = sphere.specific();
    ASSERT_NEAR(halo.crit200.mass / mass, 1, 1e-6);
    const double noise = 3 / std::sqrt(static_cast<double>(n));
    EXPECT_NEAR(halo.spin.z / j, 1, noise);
    EXPECT_NEAR(norm(halo.spin) / j, 1, noise);
    EXPECT_NEAR(halo.spin_bullock / (j / std::sqrt(2 * G * mass * sphere.r200)), 1, noise);
    const double energy = 0.6 * G * mass * mass / R - 0.2 * mass * R * R * sphere.turn * sphere.turn -
                          0.3 * mass * R * R * sphere.hubble * sphere.hubble;
    EXPECT_NEAR(std::sqrt(sphere.energy() / energy), 1, 0.015);
  }
}

/// The Hubble flow adds to outward streams and subtracts from inward ones: with streams of k H r either way, energies
/// differ by 2 k H^2 sum m r^2 = 6/5 k M R^2 H^2. Terms that do not depend on the stream cancel.
TEST(HaloFinder, SpinCountsTheHubbleFlow) {
  constexpr double k = 10;
  for (const std::size_t n : {std::size_t{900}, std::size_t{20000}}) {
    const TurningSphere outwards(n, k), inwards(n, -k);
    const double flow = 1.2 * k * outwards.mass * std::pow(outwards.R * outwards.hubble, 2);
    EXPECT_NEAR((inwards.energy() - outwards.energy()) / flow, 1, 3 / std::sqrt(static_cast<double>(n)));
  }
}

TEST(HaloFinder, ConcentrationsThatCannotBeAreTheLeast) {
  EXPECT_NEAR(nfw_concentration(1), 2.1626, 1e-3);
  EXPECT_NEAR(nfw_concentration(0.5), 2.1626, 1e-3);
  for (const double c : {2.5, 7.0, 40.0})
    EXPECT_NEAR(nfw_concentration(std::sqrt(0.2162166 * c / nfw_mass(c))) / c, 1, 1e-3) << c;
}

TEST(HaloFinder, RefusesSystemsWithoutAScale) {
  ParticleSystem system;
  EXPECT_THROW(require_halos(system), InputError);
  system.spacing = 1;
  system.frame = Frame::newtonian;
  EXPECT_THROW(require_halos(system), InputError);
}

TEST(SphericalOverdensity, OutermostCrossingByHand) {
  // Unit density means a mass of 4/3 pi R^3.
  const double unit = 4 * std::numbers::pi / 3;
  const std::vector<SphereSample> samples = {{0, 8 * unit}, {9, unit}, {16, 60 * unit}, {100, unit}};
  // Within 4: 69 units, radius cbrt(69) = 4.10 lies beyond the third sample and short of the fourth.
  EXPECT_NEAR(find_sphere(samples, 1).radius, std::cbrt(69.0), 1e-12);
  EXPECT_NEAR(find_sphere(samples, 1).mass, 69 * unit, 1e-9);
  // At twice the density that would be 3.25: short of the third, so only the first counts.
  EXPECT_NEAR(find_sphere(samples, 2).radius, std::cbrt(4.0), 1e-12);
  EXPECT_EQ(find_sphere(std::vector<SphereSample>{{1, unit}}, 2).mass, 0);
  EXPECT_EQ(find_sphere({}, 2).radius, 0);
}

/// Mass grows as r to 1 and not beyond, so M/r is level within and falls without; a clump of 5 at the centre does not
/// count as a peak.
TEST(SphericalOverdensity, PeakIsWhereMassPerRadiusIsGreatest) {
  std::vector<SphereSample> samples(5, SphereSample{1e-10, 1});
  for (int k = 1; k <= 100; ++k) samples.push_back({std::pow(0.01 * k, 2), 1});
  samples.push_back({9, 1});
  EXPECT_NEAR(find_peak(samples, 10).radius, 0.15, 1e-12);  // 20 of mass 1
  samples[64].mass = 200;
  EXPECT_NEAR(find_peak(samples, 10).radius, 0.6, 1e-12);
  EXPECT_NEAR(find_peak(samples, 10).mass, 264, 1e-9);
  EXPECT_NEAR(find_peak(samples, 0.5).radius, 0.15, 1e-12);
  EXPECT_EQ(find_peak(samples, 0.1).radius, 0);
  EXPECT_EQ(find_peak(std::vector<SphereSample>(30), 1).radius, 0);
}

TEST(SphericalOverdensity, ThresholdsAreThoseOfBryanAndNorman) {
  CosmologyParameters einstein_de_sitter;
  einstein_de_sitter.omega_m = 1;
  einstein_de_sitter.omega_lambda = 0;
  const OverdensityThresholds t = overdensity_thresholds(Expansion(einstein_de_sitter), 0.3);
  EXPECT_NEAR(t.virial / units::critical_density, 177.653, 1e-3);
  EXPECT_NEAR(t.crit200 / units::critical_density, 200, 1e-9);
  CosmologyParameters flat;
  flat.omega_m = 0.3;
  flat.omega_lambda = 0.7;
  const OverdensityThresholds today = overdensity_thresholds(Expansion(flat), 1);
  EXPECT_NEAR(today.virial / units::critical_density, 101.14, 0.01);
  EXPECT_NEAR(today.mean200 / units::critical_density, 60, 1e-9);
  EXPECT_NEAR(today.crit500 / units::critical_density, 500, 1e-9);
  // Far in the matter era all is as in an Einstein-de Sitter universe: comoving densities stay.
  EXPECT_NEAR(overdensity_thresholds(Expansion(flat), 0.02).crit200 / (60 * units::critical_density), 1, 1e-4);
}

TEST(Profile, IsothermalSphereAcrossACorner) {
  ParticleSystem system = box_of(10, 64);
  add_sphere(system, 100000, {9.99, 0.02, 10}, 2.0F, [](double u) { return 3 * u; });
  const std::vector<ProfileBin> profile =
      spherical_profile(system.particles, {{9.99, 0.02, 10}, 0.03, 3.1, 20, 10, 0.5, 43});
  std::uint64_t all = 0;
  for (const ProfileBin& bin : profile) {
    const double high = std::min(bin.high, 3.0);
    const double expected = 100000 / 3.0 * (high - bin.low);
    EXPECT_NEAR(static_cast<double>(bin.count), expected, 4 * std::sqrt(expected) + 1);
    EXPECT_EQ(bin.mass, 2.0 * static_cast<double>(bin.count));
    EXPECT_NEAR(bin.density * 4 * std::numbers::pi / 3 * (std::pow(bin.high, 3) - std::pow(bin.low, 3)), bin.mass,
                1e-9 * bin.mass);
    const double inside = 100000 * high / 3;
    EXPECT_NEAR(bin.enclosed / 2, inside, 4 * std::sqrt(inside));
    EXPECT_NEAR(bin.circular_velocity, std::sqrt(43 * bin.enclosed / (0.5 * bin.high)), 1e-9 * bin.circular_velocity);
    all += bin.count;
  }
  EXPECT_NEAR(profile.back().enclosed, 200000, 1e-6);
  EXPECT_NEAR(static_cast<double>(all), 99000, 150);
}

}  // namespace
}  // namespace multiwalk
