// SPDX-License-Identifier: GPL-3.0-or-later
// Conflicts between parameters whose values are each in range.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// Where "section.key" was given, as "file:line" or "--set ..."; empty if it has its default.
using GivenAt = std::function<std::string(std::string_view)>;

/// Throws InputError that names both keys and where they were given.
void check_conflicts(const Parameters& parameters, const GivenAt& given_at);

/// Throws InputError if an output does not know the geometry of a curved universe. For runs from a snapshot: once their
/// cosmology is the snapshot's.
void check_geometry(const Parameters& parameters);

/// Plummer, uniform and two-body systems: Newtonian time, G = 1.
bool is_newtonian(ModelKind kind);

}  // namespace multiwalk
