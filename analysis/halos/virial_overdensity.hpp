// SPDX-License-Identifier: GPL-3.0-or-later
// The mean density of a sphere that has collapsed and virialised.
#pragma once

#include "host/cosmology/expansion.hpp"

namespace multiwalk {

/// False for dark energy other than a cosmological constant in a curved universe.
bool has_virial_overdensity(const CosmologyParameters& parameters);

/// Over the critical density at a. With x = Omega_m(a) - 1 Bryan & Norman's (1998, eq. 6) fits, 18 pi^2 + 82 x - 39 x^2
/// in a flat universe, 18 pi^2 + 60 x - 32 x^2 in an open one without dark energy; in other curved ones the collapse
/// that they fit within 1%: of a sphere of matter and a cosmological constant, with radii before and after by Lahav et
/// al. (1991). Throws InputError if there is none.
double virial_overdensity(const Expansion& expansion, double a);

}  // namespace multiwalk
