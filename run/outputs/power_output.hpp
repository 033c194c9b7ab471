// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/power/power_spectrum.hpp"
#include "run/outputs/output.hpp"

namespace multiwalk {

/// Two folds, on the mesh that `multiwalk power` would choose, but with at most 256 cells per side or as many as the
/// mesh of the forces (`force_mesh`; 0: none), whichever is more: so no more memory is needed than for the forces.
PowerOptions output_power_options(std::uint64_t particles, std::uint32_t force_mesh);

/// power_NNN.csv: the power spectrum of a periodic box, measured where the particles are kept or, if that cannot be, on
/// the host. Entry: {file, measured_on, ...power_json}; measured_on: "host" or "device".
class PowerOutput final : public Output {
 public:
  static constexpr std::string_view files = R"(power_\d+\.csv)";

  nlohmann::json write(const OutputMoment& moment) override;
};

}  // namespace multiwalk
