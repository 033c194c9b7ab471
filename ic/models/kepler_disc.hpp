// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies on circular orbits around a central mass: the planetary disc of Kavanagh (2008).
#pragma once

#include <cstdint>

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/bodies.hpp"

namespace multiwalk {

/// G = 1. Body 0, of mass 1, is at the origin; body i > 0, of mass disc_mass / (bodies - 1), is at radius i in the
/// plane z = 0, at a random azimuth, with the speed of a circular orbit around the central mass and the bodies inside
/// its own. Then the velocity of the centre of mass is subtracted from all. Every rank gets its share of ids, and
/// bodies are the same for any number of ranks. Throws SharedError for less than 2 bodies or a negative disc mass.
/// Collective.
Bodies make_kepler_disc(std::uint64_t bodies, double disc_mass, std::uint64_t seed, const Communicator& comm = {});

}  // namespace multiwalk
