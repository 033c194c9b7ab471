// SPDX-License-Identifier: GPL-3.0-or-later
#include "ic/galaxies/galaxy_options.hpp"

#include <cmath>
#include <string>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

void expect_galaxy_key(bool ok, const std::string& key, const char* must) {
  if (!ok) throw InputError(key + " must " + must);
}

bool is_length(double value) {
  return value >= shortest_galaxy_length && value <= longest_galaxy_length;
}

}  // namespace

void check_galaxy(const GalaxyOptions& galaxy) {
  expect_galaxy_key(galaxy.disc_mass >= 0 && galaxy.disc_mass <= 1, "galaxy.disc_mass", "lie between 0 and 1");
  expect_galaxy_key(galaxy.bulge_mass >= 0 && galaxy.bulge_mass <= 1, "galaxy.bulge_mass", "lie between 0 and 1");
  expect_galaxy_key(galaxy.disc_mass + galaxy.bulge_mass <= 1 + 1e-12, "galaxy.disc_mass + galaxy.bulge_mass",
                    "be at most 1, the mass of the whole galaxy");
  expect_galaxy_key(is_length(galaxy.halo_radius), "galaxy.halo_radius", "lie between 1e-12 and 1e12");
  expect_galaxy_key(is_length(galaxy.cut), "galaxy.cut", "lie between 1e-12 and 1e12");
  expect_galaxy_key(is_length(galaxy.disc_radius), "galaxy.disc_radius", "lie between 1e-12 and 1e12");
  expect_galaxy_key(is_length(galaxy.disc_height), "galaxy.disc_height", "lie between 1e-12 and 1e12");
  expect_galaxy_key(is_length(galaxy.bulge_radius), "galaxy.bulge_radius", "lie between 1e-12 and 1e12");
  expect_galaxy_key(galaxy.toomre_q >= 0 && std::isfinite(galaxy.toomre_q), "galaxy.toomre_q", "not be negative");
}

void check_galaxy_pair(const GalaxyPairOptions& pair) {
  expect_galaxy_key(pair.mass_ratio > 0 && pair.mass_ratio <= 1, "pair.mass_ratio", "be positive and at most 1");
  expect_galaxy_key(is_length(pair.pericentre), "pair.pericentre", "lie between 1e-12 and 1e12");
  expect_galaxy_key(pair.eccentricity >= 0 && std::isfinite(pair.eccentricity), "pair.eccentricity", "not be negative");
  expect_galaxy_key(pair.separation >= pair.pericentre && std::isfinite(pair.separation), "pair.separation",
                    "be at least pair.pericentre");
  expect_galaxy_key(
      pair.separation * (1 - pair.eccentricity) <= pair.pericentre * (1 + pair.eccentricity) * (1 + 1e-12),
      "pair.separation", "be at most the apocentre of the orbit, pericentre (1 + e) / (1 - e)");
  for (const double angle : {pair.inclination1, pair.node1, pair.inclination2, pair.node2}) {
    expect_galaxy_key(std::isfinite(angle), "pair.inclination1, node1, inclination2 and node2", "be finite");
  }
}

}  // namespace multiwalk
