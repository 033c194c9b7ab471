// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/ensemble/run_measurement.hpp"

#include <limits>

#include "run/files/json_input.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

double number_or_nan(const json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> bin_values(const json& bins, const char* key) {
  std::vector<double> values;
  for (const json& bin : bins) values.push_back(number_or_nan(bin.at(key)));
  return values;
}

PowerMeasurement power_from(const json& power) {
  if (!power.is_object()) return {};
  const json& bins = power.at("bins");
  return {.shot_noise = number_or_nan(power.at("shot_noise")),
          .shot_noise_subtracted = power.at("shot_noise_subtracted").get<bool>(),
          .box_size = number_or_nan(power.at("box_size")),
          .k = bin_values(bins, "k"),
          .modes = bin_values(bins, "modes"),
          .linear = bin_values(bins, "linear"),
          .values = bin_values(bins, "power")};
}

MassMeasurement mass_function_from(const json& functions, const char* kind) {
  const json& function = functions.at(kind);
  const json& bins = function.at("bins");
  return {.fit = function.at("fit").get<std::string>(),
          .volume = number_or_nan(functions.at("volume")),
          .low = bin_values(bins, "low"),
          .high = bin_values(bins, "high"),
          .mass = bin_values(bins, "mass"),
          .counts = bin_values(bins, "count"),
          .fitted = bin_values(bins, "fitted"),
          .values = bin_values(bins, "density")};
}

OutputMeasurement output_from(const json& output) {
  OutputMeasurement measured{.time = number_or_nan(output.at("time")), .redshift = number_or_nan(output.at("z"))};
  if (output.contains("power")) measured.power = power_from(output.at("power"));
  if (output.contains("halos") && output.at("halos").is_object()) {
    const json& functions = output.at("halos").at("mass_functions");
    measured.fof = mass_function_from(functions, "fof");
    measured.mean200 = mass_function_from(functions, "mean200");
  }
  return measured;
}

}  // namespace

RunMeasurement run_measurement(const Realisation& realisation, const json& report) {
  return values_from(realisation.name() + "/report.json", [&] {
    RunMeasurement run{.realisation = realisation,
                       .particles = number_or_nan(report.at("particles")),
                       .comoving = report.at("comoving").get<bool>(),
                       .outputs = {}};
    for (const json& output : report.at("outputs")) run.outputs.push_back(output_from(output));
    return run;
  });
}

}  // namespace multiwalk
