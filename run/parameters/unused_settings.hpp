// SPDX-License-Identifier: GPL-3.0-or-later
// Settings that have no effect in a run.
#pragma once

#include <string>

#include "host/particles/particle_system.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// Every parameter that was set to another value than its default although it has no effect in a run that starts from
/// `system` (only its frame and boundary matter), each with the runs that use it: "model.disc_mass (for kepler_disc),
/// ...". Includes parameters that a snapshot replaced: `used` are those with its cosmology. Empty if all have an
/// effect.
std::string idle_settings(const Parameters& asked, const Parameters& used, const ParticleSystem& system);

}  // namespace multiwalk
