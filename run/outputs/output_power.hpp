// SPDX-License-Identifier: GPL-3.0-or-later
// The power spectrum at an output of a run in a periodic box.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/power/power_spectrum.hpp"
#include "run/evolve/simulation.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// Folded twice; on the mesh that `multiwalk power` takes or, if that has more than 256 cells a side, on the forces'
/// (`force_mesh` cells; 0: none), so that no more memory is needed than for them.
PowerOptions output_power_options(std::uint64_t particles, std::uint32_t force_mesh);

/// Measures the spectrum, writes its table (power_csv) and returns what the record tells of it: {file, ...power_json}.
/// Collective. Throws SharedError if the table cannot be written.
nlohmann::json write_power(const Simulation& simulation, const Parameters& parameters, const std::string& snapshot,
                           const std::string& path);

}  // namespace multiwalk
