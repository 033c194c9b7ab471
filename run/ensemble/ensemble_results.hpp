// SPDX-License-Identifier: GPL-3.0-or-later
// The measurements of all finished runs side by side, and their statistics: what ensemble.hdf5 and ensemble.html show.
#pragma once

#include <string>
#include <vector>

#include "analysis/statistics/sample_statistics.hpp"
#include "run/ensemble/run_measurement.hpp"

namespace multiwalk {

/// Something that every bin has: its wavenumber, its number of modes, ...
struct EnsembleColumn {
  std::string name, unit, meaning;
  std::vector<double> values;  ///< (bins)
};

/// A measured function at one output: a power spectrum or a mass function.
struct EnsembleFunction {
  std::string name, unit, squared_unit, meaning;
  std::vector<EnsembleColumn> columns;
  Samples values;         ///< (realisations x bins)
  double shot_noise = 0;  ///< of a power spectrum
  bool shot_noise_subtracted = false;
  std::string fit;  ///< of a mass function: the paper

  /// Its column of this name.
  [[nodiscard]] const std::vector<double>& column(const std::string& wanted) const;
};

struct EnsembleOutput {
  double time = 0, redshift = 0;
  std::vector<EnsembleFunction> functions;
};

struct EnsembleResults {
  std::vector<Realisation> realisations;  ///< rows of all functions
  double particles = 0;                   ///< of each run
  double size = 0;                        ///< Mpc/h: side of the box; 0: no spectra
  bool comoving = true;
  std::vector<EnsembleOutput> outputs;
};

/// Statistics of single runs and of pairs of a run and its partner.
struct FunctionStatistics {
  SampleStatistics runs;               ///< runs and partners each about their own mean (sample_statistics)
  SampleStatistics pairs;              ///< of the averages of pairs; of no samples if there are no pairs
  std::vector<double> variance_ratio;  ///< pair_variance_ratio
};

/// Throws InputError that names the run whose outputs or bins differ from those of the first. A mass function has the
/// bins of the run with the most bins: the other runs have no halos in the rest.
EnsembleResults collected_results(const std::vector<RunMeasurement>& runs);

/// The seeds for which both members of the pair exist.
std::vector<std::uint64_t> paired_seeds(const std::vector<Realisation>& realisations);

FunctionStatistics function_statistics(const EnsembleFunction& function, const std::vector<Realisation>& realisations);

}  // namespace multiwalk
