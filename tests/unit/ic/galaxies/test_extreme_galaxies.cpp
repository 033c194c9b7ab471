// SPDX-License-Identifier: GPL-3.0-or-later
// Galaxies with lengths at the ends of their range, alone and against each other: finite stars or one clear error.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "host/base/error.hpp"
#include "ic/galaxies/galaxy_options.hpp"
#include "ic/galaxies/galaxy_system.hpp"

namespace multiwalk {
namespace {

constexpr std::array lengths{&GalaxyOptions::halo_radius, &GalaxyOptions::cut, &GalaxyOptions::disc_radius,
                             &GalaxyOptions::disc_height, &GalaxyOptions::bulge_radius};

void expect_stars_or_an_error(const GalaxyOptions& galaxy) {
  try {
    const ParticleSystem system = make_galaxy(galaxy, 20, 1);
    for (const Vec3d& x : system.particles.position) EXPECT_TRUE(std::isfinite(x.x + x.y + x.z));
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("choose"), std::string::npos) << error.what();
  }
}

TEST(ExtremeGalaxies, LengthsBeyondTheirRangeAreRefused) {
  for (const auto length : lengths) {
    for (const double value : {0.0, -1.0, 1e-300, 9e-13, 1.1e12, 1e300, HUGE_VAL, std::nan("")}) {
      GalaxyOptions galaxy;
      galaxy.*length = value;
      EXPECT_THROW(check_galaxy(galaxy), InputError) << value;
    }
  }
}

TEST(ExtremeGalaxies, HaveStarsOrNoEquilibrium) {
  for (std::size_t one = 0; one < lengths.size(); ++one) {
    for (std::size_t two = one; two < lengths.size(); ++two) {
      for (const double value : {1e-12, 1e12}) {
        GalaxyOptions galaxy;
        galaxy.disc_mass = galaxy.bulge_mass = 0.1;
        galaxy.*lengths[one] = value;
        galaxy.*lengths[two] = one == two ? value : 1 / value;
        expect_stars_or_an_error(galaxy);
      }
    }
  }
}

}  // namespace
}  // namespace multiwalk
