// SPDX-License-Identifier: GPL-3.0-or-later
// Pairs of galaxies: their orbit, spins and sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "host/base/error.hpp"
#include "ic/galaxies/galaxy.hpp"
#include "ic/galaxies/galaxy_system.hpp"
#include "ic/galaxies/pair_orbit.hpp"

namespace multiwalk {
namespace {

/// Eccentricity vector of an orbit around a mass of 1: towards pericentre.
Vec3d eccentricity_of(const PairOrbit& orbit) {
  return cross(orbit.velocity, cross(orbit.position, orbit.velocity)) - orbit.position * (1 / norm(orbit.position));
}

/// Means over the particles [from, to).
PairOrbit centre_of(const ParticleStore& p, std::size_t from, std::size_t to) {
  PairOrbit centre{};
  for (std::size_t i = from; i < to; ++i) {
    centre.position += p.position[i] * (1 / static_cast<double>(to - from));
    centre.velocity += Vec3d(p.velocity[i]) * (1 / static_cast<double>(to - from));
  }
  return centre;
}

/// Angular momentum about their centre.
Vec3d spin_of(const ParticleStore& p, std::size_t from, std::size_t to) {
  const PairOrbit centre = centre_of(p, from, to);
  Vec3d spin;
  for (std::size_t i = from; i < to; ++i) {
    spin += cross(p.position[i] - centre.position, Vec3d(p.velocity[i]) - centre.velocity);
  }
  return spin;
}

TEST(PairOrbit, HasItsPericentreEccentricityAndSeparation) {
  for (const double e : {0.0, 0.3, 0.99, 1.0, 2.5}) {
    GalaxyPairOptions pair;
    pair.eccentricity = e;
    pair.separation = e == 0 ? 4 : 7;
    const PairOrbit orbit = orbit_at_start(pair);
    EXPECT_NEAR(norm(orbit.position), pair.separation, 1e-12) << e;
    EXPECT_NEAR(norm2(orbit.velocity), 2 / pair.separation - (1 - e) / 4, 1e-12) << e;  // energy
    const Vec3d spin = cross(orbit.position, orbit.velocity);
    EXPECT_NEAR(spin.z, std::sqrt(4 * (1 + e)), 1e-12) << e;
    EXPECT_NEAR(eccentricity_of(orbit).x, e, 1e-12) << e;
    EXPECT_NEAR(eccentricity_of(orbit).y, 0, 1e-12) << e;
    EXPECT_LE(dot(orbit.position, orbit.velocity), e > 0 ? -1e-3 : 1e-12) << "not on the way in";
  }
}

TEST(GalaxyPair, CentresAreOnTheOrbitAndTogetherAtRest) {
  for (const double ratio : {1.0, 0.25}) {
    GalaxyPairOptions pair;
    pair.mass_ratio = ratio;
    const std::size_t n = 20000, first = ratio == 1 ? 10000 : 16000;
    const ParticleStore p = make_galaxy_pair({}, pair, n, 1).particles;
    ASSERT_EQ(p.size(), n);
    const PairOrbit whole = centre_of(p, 0, n), one = centre_of(p, 0, first), two = centre_of(p, first, n);
    EXPECT_LT(norm(whole.position), 1e-12);
    EXPECT_LT(norm(whole.velocity), 1e-8);
    const PairOrbit orbit{one.position - two.position, one.velocity - two.velocity}, expected = orbit_at_start(pair);
    EXPECT_LT(norm(orbit.position - expected.position), 1e-11);
    EXPECT_LT(norm(orbit.velocity - expected.velocity), 1e-7);
    EXPECT_NEAR(norm(orbit.velocity), std::sqrt(2 / 60.0), 1e-7);
  }
}

TEST(GalaxyPair, DiscsSpinAsTheyAreInclined) {
  GalaxyPairOptions pair;
  pair.inclination1 = 30;
  pair.node1 = 90;
  pair.inclination2 = 180;
  GalaxyOptions galaxy;
  galaxy.disc_mass = 1;
  galaxy.bulge_mass = 0;
  const ParticleStore p = make_galaxy_pair(galaxy, pair, 20000, 1).particles;
  const Vec3d one = spin_of(p, 0, 10000), two = spin_of(p, 10000, 20000);
  EXPECT_LT(norm(one * (1 / norm(one)) - Vec3d{0.5, 0, std::sqrt(0.75)}), 0.01);
  EXPECT_LT(norm(two * (1 / norm(two)) - Vec3d{0, 0, -1}), 0.01);
}

TEST(GalaxyPair, SecondIsAsDenseAndRotatesByItsMass) {
  GalaxyPairOptions pair;
  pair.mass_ratio = 0.25;
  GalaxyOptions galaxy;
  galaxy.disc_mass = 1;
  galaxy.bulge_mass = 0;
  const std::size_t n = 40000, first = 32000;
  const ParticleStore p = make_galaxy_pair(galaxy, pair, n, 1).particles;
  const auto median_reach = [&](std::size_t from, std::size_t to) {
    const PairOrbit centre = centre_of(p, from, to);
    std::vector<double> reach;
    for (std::size_t i = from; i < to; ++i) reach.push_back(norm(p.position[i] - centre.position));
    std::nth_element(reach.begin(), reach.begin() + reach.size() / 2, reach.end());
    return reach[reach.size() / 2];
  };
  const double length = std::cbrt(0.25);
  EXPECT_NEAR(median_reach(0, first), 1.68, 0.03);
  EXPECT_NEAR(median_reach(first, n) / median_reach(0, first), length, 0.03 * length);
  // Spin of a particle: radius times speed, of which the second has times the root of mass over length.
  const double spin_ratio = spin_of(p, first, n).z / spin_of(p, 0, first).z * 4;
  EXPECT_NEAR(spin_ratio, length * std::sqrt(0.25 / length), 0.03 * spin_ratio);
  // The first alone: mean R v_c of a disc of mass 0.8.
  const Galaxy alone(galaxy);
  const GalaxyPlaces places = galaxy_places(galaxy, 100000);
  double spin = 0;
  for (std::uint64_t id = 0; id < 100000; ++id) {
    const GalaxyStar star = alone.star(id, places, id, 1);
    spin += cross(star.position, star.velocity).z / 100000;
  }
  EXPECT_NEAR(spin_of(p, 0, first).z / 32000 / (std::sqrt(0.8) * spin), 1, 0.02);
}

TEST(GalaxyPair, RefusesOptionsInOneLine) {
  const auto refused = [](double GalaxyPairOptions::*option, double value, const std::string& key,
                          std::uint64_t particles = 100) {
    GalaxyPairOptions pair;
    pair.*option = value;
    try {
      (void)make_galaxy_pair({}, pair, particles, 1);
      ADD_FAILURE() << key << " = " << value << " accepted";
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(key), std::string::npos) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
  };
  for (const double value : {0.0, -1.0, 1.5, std::nan("")})
    refused(&GalaxyPairOptions::mass_ratio, value, "pair.mass_ratio");
  refused(&GalaxyPairOptions::pericentre, 0, "pair.pericentre");
  refused(&GalaxyPairOptions::eccentricity, -0.1, "pair.eccentricity");
  refused(&GalaxyPairOptions::separation, 3.9, "pair.separation");
  refused(&GalaxyPairOptions::eccentricity, 0.5, "pair.separation");  // 60 is beyond the apocentre, 12
  refused(&GalaxyPairOptions::separation, INFINITY, "pair.separation");
  refused(&GalaxyPairOptions::inclination2, std::nan(""), "inclination2");
  refused(&GalaxyPairOptions::mass_ratio, 1e-3, "model.particles");
  refused(&GalaxyPairOptions::mass_ratio, 1, "model.particles", 1);
}

}  // namespace
}  // namespace multiwalk
