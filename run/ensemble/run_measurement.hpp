// SPDX-License-Identifier: GPL-3.0-or-later
// The measurements that an ensemble takes from the report of one run: power spectra and halo mass functions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "run/ensemble/realisation.hpp"

namespace multiwalk {

/// Bins of run/outputs/power_report.hpp.
struct PowerMeasurement {
  double shot_noise = 0;  ///< (Mpc/h)^3
  bool shot_noise_subtracted = false;
  double box_size = 0;                           ///< Mpc/h
  std::vector<double> k, modes, linear, values;  ///< (bins): h/Mpc, numbers, (Mpc/h)^3, (Mpc/h)^3; NaN: not known
};

/// Bins of run/outputs/halo_mass_functions.hpp.
struct MassMeasurement {
  std::string fit;                                      ///< the paper
  double volume = 0;                                    ///< (Mpc/h)^3
  std::vector<double> low, high, mass, counts, fitted;  ///< (bins): Msun/h, numbers, dn/dlnM of the fit; NaN: none
  std::vector<double> values;                           ///< dn/dlnM in (h/Mpc)^3
};

/// Empty vectors: not measured.
struct OutputMeasurement {
  double time = 0, redshift = 0;
  PowerMeasurement power = {};
  MassMeasurement fof = {}, mean200 = {};
};

struct RunMeasurement {
  Realisation realisation;
  double particles = 0;
  bool comoving = true;
  std::vector<OutputMeasurement> outputs;
};

/// Throws InputError if the report lacks something.
RunMeasurement run_measurement(const Realisation& realisation, const nlohmann::json& report);

}  // namespace multiwalk
