// SPDX-License-Identifier: GPL-3.0-or-later
// A disc galaxy in equilibrium: each of its stars from the numbers of its own id.
#pragma once

#include <cstdint>
#include <vector>

#include "host/base/vec3.hpp"
#include "ic/galaxies/disc_motion.hpp"
#include "ic/galaxies/distribution_function.hpp"
#include "ic/galaxies/galaxy_options.hpp"
#include "ic/galaxies/galaxy_potential.hpp"

namespace multiwalk {

/// A particle, of whichever component.
struct GalaxyStar {
  Vec3d position, velocity;
};

/// Places of the components among the particles of a galaxy: first the disc, then the bulge, then the halo.
struct GalaxyPlaces {
  std::uint64_t disc_end, bulge_end, end;
};

/// Numbers proportional to the masses.
GalaxyPlaces galaxy_places(const GalaxyOptions& galaxy, std::uint64_t particles);

/// Halo and bulge with isotropic distribution functions in the spherical average of the potential, and a disc whose
/// velocities follow from moments; total mass 1, G = 1, spin along z.
class Galaxy {
 public:
  /// Throws InputError for options that check_galaxy refuses or that have no equilibrium. Makes tables in about a
  /// second.
  explicit Galaxy(const GalaxyOptions& galaxy);
  Galaxy(const Galaxy&) = delete;
  Galaxy& operator=(const Galaxy&) = delete;

  [[nodiscard]] const GalaxyPotential& potential() const { return potential_; }
  [[nodiscard]] const DiscMotion& disc() const { return disc_; }

  /// Place `place` of `places`, with the random numbers of `id` and `seed`. Threads may call it at the same time.
  [[nodiscard]] GalaxyStar star(std::uint64_t place, const GalaxyPlaces& places, std::uint64_t id,
                                std::uint64_t seed) const;

 private:
  [[nodiscard]] GalaxyStar disc_star(std::uint64_t id, std::uint64_t seed) const;
  [[nodiscard]] GalaxyStar spheroid_star(std::size_t spheroid, std::uint64_t id, std::uint64_t seed) const;

  GalaxyPotential potential_;
  std::vector<DistributionFunction> functions_;  ///< of potential_.spheroids()
  DiscMotion disc_;
  double height_;
};

}  // namespace multiwalk
