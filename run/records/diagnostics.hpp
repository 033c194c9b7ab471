// SPDX-License-Identifier: GPL-3.0-or-later
// Diagnostics of the bodies of a direct run: energy, momenta, Lagrangian radii, the core.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "analysis/conservation/conservation.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/base/vec3.hpp"
#include "host/particles/bodies.hpp"

namespace multiwalk {

inline constexpr std::array<double, 7> lagrangian_fractions{0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9};

/// Figures of the bodies of all ranks at one time. Contains only doubles.
struct Diagnostics {
  double time = 0;
  double kinetic = 0, potential = 0;
  Vec3d momentum, angular_momentum;  ///< the latter about the origin
  Vec3d centre;                      ///< of density (analysis/conservation/core_density.hpp)
  double core_density = 0, density_radius = 0, core_radius = 0;
  std::array<double, lagrangian_fractions.size()> lagrangian_radius{};  ///< about the centre

  [[nodiscard]] EnergySums energy() const { return {kinetic, potential}; }
};

/// `bodies` have their potentials and are all at `time`. Collective.
Diagnostics measure_diagnostics(const Bodies& bodies, double time, const Communicator& comm = {});

/// Names of the numbers, in order: time, kinetic_energy, ..., momentum_x, ..., lagrangian_radius_0.01, ...
const std::vector<std::string>& diagnostics_names();
/// The numbers themselves, in the same order.
std::vector<double> numbers_of(const Diagnostics& diagnostics);
Diagnostics diagnostics_of(std::span<const double> numbers);

/// Writes an HDF5 file with a dataset of `rows` rows for each member. The file is written aside and renamed, so that a
/// run that is killed leaves the earlier file. `next` fills one span after the other. Units: G = 1.
void write_diagnostics(const std::string& path, std::uint64_t rows,
                       const std::function<void(std::span<Diagnostics>)>& next);

nlohmann::json to_json(const Diagnostics& diagnostics);  ///< lossless, for checkpoints
Diagnostics diagnostics_from_json(const nlohmann::json& numbers);

/// For report.json: {fractions, time, kinetic, ...: a list with a number (or list of them) for each time}.
nlohmann::json diagnostics_json(const std::vector<Diagnostics>& rows);

}  // namespace multiwalk
