// SPDX-License-Identifier: GPL-3.0-or-later
// Particles of galaxies: numbers, profiles, velocities, equilibrium.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "host/base/error.hpp"
#include "ic/galaxies/galaxy.hpp"
#include "ic/galaxies/galaxy_system.hpp"

namespace multiwalk {
namespace {

/// Largest difference between the cumulative distribution of `sample` and `expected`, times the square root of its
/// size: 1.95 is exceeded by one sample in a thousand (Kolmogorov & Smirnov).
template <class Expected>
double deviation(std::vector<double> sample, const Expected& expected) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double largest = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double mass = expected(sample[i]);
    largest = std::max({largest, std::fabs(mass - i / n), std::fabs(mass - (i + 1) / n)});
  }
  return largest * std::sqrt(n);
}

GalaxyOptions lone_halo(HaloProfile profile = HaloProfile::hernquist) {
  GalaxyOptions galaxy;
  galaxy.halo_profile = profile;
  galaxy.halo_radius = 1;
  galaxy.cut = 1e4;
  galaxy.disc_mass = galaxy.bulge_mass = 0;
  return galaxy;
}

/// Hernquist (1990) eq. 10 for M = a = 1.
double hernquist_dispersion2(double r) {
  return (12 * r * std::pow(r + 1, 3) * std::log((r + 1) / r) -
          r / (r + 1) * (25 + 52 * r + 42 * r * r + 12 * r * r * r)) /
         12;
}

double lone_halo_virial_ratio(const ParticleStore& p) {
  double kinetic = 0, potential = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : kinetic, potential)
  for (std::size_t i = 0; i < p.size(); ++i) {
    kinetic += 0.5 * p.mass[i] * norm2(Vec3d(p.velocity[i]));
    for (std::size_t j = 0; j < i; ++j)
      potential -= double{p.mass[i]} * p.mass[j] / norm(p.position[i] - p.position[j]);
  }
  return 2 * kinetic / -potential;
}

TEST(GalaxyPlaces, AreProportionalToMass) {
  const GalaxyPlaces places = galaxy_places(GalaxyOptions{}, 10'000'000'000);
  EXPECT_EQ(places.disc_end, 400'000'000U);
  EXPECT_EQ(places.bulge_end, 500'000'000U);
  EXPECT_EQ(places.end, 10'000'000'000U);
  GalaxyOptions without_halo;
  without_halo.disc_mass = 0.3;
  without_halo.bulge_mass = 0.7;
  EXPECT_EQ(galaxy_places(without_halo, 1'000'003).bulge_end, 1'000'003U);
}

TEST(GalaxySystem, ComponentsHaveTheirProfiles) {
  for (const HaloProfile profile : {HaloProfile::hernquist, HaloProfile::nfw}) {
    GalaxyOptions options;
    options.halo_profile = profile;
    options.disc_mass = 0.3;
    options.bulge_mass = 0.2;
    const Galaxy galaxy(options);
    const GalaxyPlaces places = galaxy_places(options, 200000);
    std::vector<double> cylinder, height, bulge, halo;
    for (std::uint64_t id = 0; id < places.end; ++id) {
      const Vec3d x = galaxy.star(id, places, id, 1).position;
      if (id < places.disc_end) {
        cylinder.push_back(std::hypot(x.x, x.y));
        height.push_back(x.z);
      } else {
        (id < places.bulge_end ? bulge : halo).push_back(norm(x));
      }
    }
    EXPECT_EQ(cylinder.size(), 60000U);
    EXPECT_EQ(bulge.size(), 40000U);
    EXPECT_LT(deviation(cylinder, [](double r) { return 1 - (1 + r) * std::exp(-r); }), 1.95);
    EXPECT_LT(deviation(height, [](double z) { return (1 + std::tanh(z / 0.1)) / 2; }), 1.95);
    const std::vector<SphericalProfile>& spheroids = galaxy.potential().spheroids();
    EXPECT_LT(deviation(bulge, [&](double r) { return spheroids[0].enclosed(r) / 0.2; }), 1.95);
    EXPECT_LT(deviation(halo, [&](double r) { return spheroids[1].enclosed(r) / 0.5; }), 1.95);
  }
}

TEST(GalaxySystem, HernquistHaloHasItsMassAndDispersion) {
  const Galaxy galaxy(lone_halo());
  const GalaxyPlaces places = galaxy_places(lone_halo(), 60000);
  std::vector<GalaxyStar> stars;
  std::vector<double> radius;
  for (std::uint64_t id = 0; id < places.end; ++id) {
    stars.push_back(galaxy.star(id, places, id, 1));
    radius.push_back(norm(stars.back().position));
  }
  EXPECT_LT(deviation(radius, [](double r) { return std::pow(r / (r + 1), 2); }), 1.95);
  for (const double r : {0.1, 0.3, 1.0, 3.0, 10.0}) {
    double radial = 0, all = 0, expected = 0, count = 0;
    for (std::size_t i = 0; i < stars.size(); ++i) {
      if (std::fabs(std::log(radius[i] / r)) > 0.15) continue;
      radial += std::pow(dot(stars[i].velocity, stars[i].position) / radius[i], 2);
      all += norm2(stars[i].velocity);
      expected += hernquist_dispersion2(radius[i]);
      ++count;
    }
    // The variance of a normal v^2 is twice its square: three of these deviations.
    EXPECT_NEAR(radial / expected, 1, 3 * std::sqrt(2 / count)) << r;
    EXPECT_NEAR(all / (3 * expected), 1, 3 * std::sqrt(2 / (3 * count))) << r;
  }
}

TEST(GalaxySystem, HaloAloneIsVirialised) {
  for (const HaloProfile profile : {HaloProfile::hernquist, HaloProfile::nfw}) {
    GalaxyOptions options = lone_halo(profile);
    options.cut = 20;
    EXPECT_NEAR(lone_halo_virial_ratio(make_galaxy(options, 16384, 1).particles), 1, 0.02);
  }
}

TEST(GalaxySystem, DiscStarsHaveTheirVelocities) {
  GalaxyOptions options;
  options.disc_mass = 0.5;
  const Galaxy galaxy(options);
  const GalaxyPlaces places = galaxy_places(options, 120000);
  double n = 0;
  Vec3d mean, square;
  // In units of their dispersions.
  for (std::uint64_t id = 0; id < places.disc_end; ++id) {
    const GalaxyStar star = galaxy.star(id, places, id, 1);
    const double r = std::hypot(star.position.x, star.position.y);
    const DiscVelocities expected = galaxy.disc().at(r);
    const Vec3d v = star.velocity;
    const Vec3d unit{(star.position.x * v.x + star.position.y * v.y) / r / expected.sigma_r,
                     ((star.position.x * v.y - star.position.y * v.x) / r - expected.rotation) / expected.sigma_phi,
                     v.z / expected.sigma_z};
    mean += unit;
    for (int axis = 0; axis < 3; ++axis) square[axis] += unit[axis] * unit[axis];
    ++n;
  }
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(mean[axis] / n, 0, 3.3 / std::sqrt(n)) << axis;
    EXPECT_NEAR(square[axis] / n, 1, 3.3 * std::sqrt(2 / n)) << axis;
  }
}

TEST(GalaxySystem, IsAtRestAtTheOriginWithEqualMasses) {
  const ParticleSystem system = make_galaxy(GalaxyOptions{}, 5000, 1);
  EXPECT_EQ(system.frame, Frame::newtonian);
  EXPECT_EQ(system.boundary, Boundary::vacuum);
  EXPECT_EQ(system.time, 0);
  Vec3d position, velocity;
  for (std::size_t i = 0; i < 5000; ++i) {
    position += system.particles.position[i];
    velocity += Vec3d(system.particles.velocity[i]);
    EXPECT_EQ(system.particles.mass[i], 1.0F / 5000);
    EXPECT_EQ(system.particles.id[i], i);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_LE(std::fabs(system.particles.position[i][axis]), system.box_size / 2);
    }
  }
  EXPECT_LT(norm(position) / 5000, 1e-13);
  EXPECT_LT(norm(velocity) / 5000, 1e-8);
}

TEST(GalaxySystem, DoesNotDependOnThreads) {
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const ParticleStore alone = make_galaxy(GalaxyOptions{}, 3000, 7).particles;
  omp_set_num_threads(3);
  const ParticleStore shared = make_galaxy(GalaxyOptions{}, 3000, 7).particles;
  omp_set_num_threads(threads);
  EXPECT_EQ(alone.position, shared.position);
  EXPECT_EQ(alone.velocity, shared.velocity);
  EXPECT_NE(alone.position, make_galaxy(GalaxyOptions{}, 3000, 8).particles.position);
}

TEST(GalaxySystem, ComponentsMayBeAbsent) {
  const auto finite = [](double disc, double bulge) {
    GalaxyOptions options;
    options.disc_mass = disc;
    options.bulge_mass = bulge;
    const ParticleStore p = make_galaxy(options, 1000, 1).particles;
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_TRUE(std::isfinite(norm(p.position[i])) && std::isfinite(norm(Vec3d(p.velocity[i])))) << disc << bulge;
    }
  };
  finite(0, 0);
  finite(0.1, 0);
  finite(0, 0.1);
  finite(1, 0);
  finite(0, 1);
  finite(0.3, 0.7);
  EXPECT_EQ(make_galaxy(GalaxyOptions{}, 1, 1).particles.size(), 1U);
}

TEST(GalaxySystem, RefusesOptionsInOneLine) {
  const auto refused = [](double GalaxyOptions::*option, double value, const std::string& key) {
    GalaxyOptions galaxy;
    galaxy.*option = value;
    try {
      (void)make_galaxy(galaxy, 100, 1);
      ADD_FAILURE() << key << " = " << value << " accepted";
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(key), std::string::npos) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
  };
  for (const double value : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    refused(&GalaxyOptions::halo_radius, value, "galaxy.halo_radius");
    refused(&GalaxyOptions::cut, value, "galaxy.cut");
    refused(&GalaxyOptions::disc_radius, value, "galaxy.disc_radius");
    refused(&GalaxyOptions::disc_height, value, "galaxy.disc_height");
    refused(&GalaxyOptions::bulge_radius, value, "galaxy.bulge_radius");
  }
  refused(&GalaxyOptions::toomre_q, -1, "galaxy.toomre_q");
  refused(&GalaxyOptions::disc_mass, -0.1, "galaxy.disc_mass");
  refused(&GalaxyOptions::bulge_mass, 1.1, "galaxy.bulge_mass");
  refused(&GalaxyOptions::disc_mass, 0.995, "galaxy.disc_mass + galaxy.bulge_mass");
  EXPECT_THROW((void)make_galaxy(GalaxyOptions{}, 0, 1), InputError);
}

}  // namespace
}  // namespace multiwalk
