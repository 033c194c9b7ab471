// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/ensemble/collect.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "run/ensemble/ensemble_file.hpp"
#include "run/ensemble/ensemble_page.hpp"
#include "run/ensemble/ensemble_parameters.hpp"
#include "run/ensemble/manifest.hpp"
#include "run/files/atomic_file.hpp"
#include "run/pages/page.hpp"

namespace multiwalk {

std::string collect_ensemble(const std::string& directory) {
  const Parameters parameters = kept_parameters(directory);
  Manifest manifest = looked_up_manifest(directory, {});
  manifest.currency = parameters.cost.currency;
  write_manifest(directory, manifest);
  std::vector<RunMeasurement> runs;
  for (const RealisationState& state : manifest.realisations) {
    if (state.finished()) runs.push_back(run_measurement(state.realisation, read_report(directory, state.realisation)));
  }
  const EnsembleResults results = collected_results(runs);
  const std::string file = directory + "/ensemble.hdf5", page_file = directory + "/ensemble.html";
  write_ensemble_file(file, results, manifest);
  write_file_atomically(page_file,
                        page(PageKind::ensemble, ensemble_page_data(results, manifest, parameters.run.title)));
  return fmt::format("collected {} of {} realisations: {}, {}", runs.size(), manifest.realisations.size(), file,
                     page_file);
}

}  // namespace multiwalk
