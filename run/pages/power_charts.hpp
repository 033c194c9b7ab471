// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of power spectra, for the page of `multiwalk power` and for a run's report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run/pages/report_charts.hpp"

namespace multiwalk {

/// A spectrum as power_json makes it, and what the legend calls it.
struct NamedSpectrum {
  std::string name;
  nlohmann::json power;
};

/// The spectra with linear theory and shot noise; if they have linear theory, their ratio to it too. All of one box.
std::vector<ReportChart> spectrum_charts(const std::vector<NamedSpectrum>& spectra);

/// Power of the largest waves, and the square of linear growth, over those of the first spectrum.
struct WaveGrowth {
  double measured = 1, linear = 1;
};

/// (spectra) Means over the modes with k up to 0.1 h/Mpc, of the two longest bins at least, which all spectra have.
std::vector<WaveGrowth> wave_growth(const std::vector<nlohmann::json>& spectra);

/// The section of a run's report about the spectra of its outputs; empty if it has none.
std::string power_section(const nlohmann::json& report);

}  // namespace multiwalk
