// SPDX-License-Identifier: GPL-3.0-or-later
// What the parameters say about the particles of a run before there are any.
#pragma once

#include <cstdint>
#include <optional>

#include "run/evolve/box_forces.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// How many particles the parameters give (a file's header is read).
std::uint64_t planned_particles(const Parameters& parameters);
/// The side of their periodic box (the same), internal length; 0 in a vacuum.
double planned_period(const Parameters& parameters);
/// Whether ic.grid sets the number of particles.
bool has_grid(const Parameters& parameters);
/// The same model at the same density with about `wanted` particles; itself if it has no more.
Parameters smaller_model(const Parameters& parameters, std::uint64_t wanted);
/// Mesh and walks of a periodic box; none for other models and where all pairs are summed.
std::optional<BoxForces> planned_box_forces(const Parameters& parameters);

}  // namespace multiwalk
