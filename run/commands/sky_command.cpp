// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "run/commands/commands.hpp"
#include "run/commands/options/number_checks.hpp"
#include "run/sky/sky_analysis.hpp"

namespace multiwalk {

namespace {

void print_bands(const nlohmann::json& bands) {
  std::printf("%10s %12s %12s %12s\n", "l", "C_l", "Limber", "linear");
  for (const nlohmann::json& band : bands) {
    std::printf("%10.4g %12.4g %12.4g %12.4g\n", band.at("l").get<double>(), band.at("measured").get<double>(),
                band.at("limber").get<double>(), band.at("linear").get<double>());
  }
}

void run_sky(const SkyAnalysisOptions& options) {
  const nlohmann::json sky = analyse_sky(options);
  for (const nlohmann::json& shell : sky.at("shells")) {
    std::printf("shell %d: z = %.4g to %.4g, %llu particles, %.6g of the mean\n", shell.at("shell").get<int>(),
                shell.at("z_near").get<double>(), shell.at("z_far").get<double>(),
                shell.at("particles").get<unsigned long long>(),
                shell.at("particles").get<double>() / shell.at("expected").get<double>());
  }
  std::printf("convergence of sources at z = %.4g\n", sky.at("source_redshift").get<double>());
  print_bands(sky.at("kappa").at("bands"));
  std::printf("wrote sky.html, sky_kappa.fits, sky_kappa.png, sky_spectra.csv and sky_spectra.json into %s\n",
              options.directory.c_str());
}

}  // namespace

void add_sky_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "sky", "Make a lensing convergence map and angular power spectra from the shells of a run's light cone");
  auto options = std::make_shared<SkyAnalysisOptions>();
  command->add_option("directory", options->directory, "run directory with lightcone_shell_*.hdf5")->required();
  command
      ->add_option("--source-redshift", options->source_redshift,
                   "redshift of the lensed sources (default: the far border of the shells)")
      ->check(number_between(1e-3, 1e3));
  command->add_option("--lmax", options->lmax, "largest l of the spectra (default: 2 nside)")
      ->check(CLI::Range(2, 49151));
  command->callback([options] { run_sky(*options); });
}

}  // namespace multiwalk
