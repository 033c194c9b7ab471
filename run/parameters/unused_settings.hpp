// SPDX-License-Identifier: GPL-3.0-or-later
// Settings that have no effect in a run.
#pragma once

#include <string>

#include "host/particles/particle_system.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// Every parameter that was set to something else than its default although it has no effect in a run that starts from
/// `system` (whose frame and boundary count), with what it is for: "model.disc_mass (for model.kind = "kepler_disc"),
/// ...". Also what a snapshot replaced: `used` are the parameters with its cosmology. Empty if all have an effect.
std::string idle_settings(const Parameters& asked, const Parameters& used, const ParticleSystem& system);

}  // namespace multiwalk
