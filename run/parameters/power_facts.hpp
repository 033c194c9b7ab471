// SPDX-License-Identifier: GPL-3.0-or-later
// What is stated of a run's linear power: only what decided it, and what follows.
#pragma once

#include <string_view>

#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// Of the linear power from which the particles are made; empty if they are made from none. Throws what
/// LinearPower::of throws.
PowerFacts power_facts(const Parameters& parameters);

/// Whether a key has no influence on this run's linear power, as far as parameters.power tells.
bool is_idle_power_key(const Parameters& parameters, std::string_view name);

}  // namespace multiwalk
