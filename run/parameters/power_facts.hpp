// SPDX-License-Identifier: GPL-3.0-or-later
// The facts about linear power that a run writes into its outputs: the settings that determined it, and derived values.
#pragma once

#include <string_view>

#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// The facts about the linear power from which the initial conditions are made; empty if no power spectrum is used.
/// Throws what LinearPower::of throws.
PowerFacts power_facts(const Parameters& parameters);

/// Whether a key of [cosmology] or [ic] has no effect on this run's linear power, given the choice in parameters.power.
bool is_idle_power_key(const Parameters& parameters, std::string_view name);

}  // namespace multiwalk
