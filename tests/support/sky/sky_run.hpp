// SPDX-License-Identifier: GPL-3.0-or-later
// The directory of a run that recorded shells, without the run: what `multiwalk sky` reads.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "analysis/sky/light_path.hpp"
#include "run/files/json_output.hpp"
#include "run/parameters/parameters.hpp"
#include "run/sky/shell_files.hpp"
#include "run/sky/sky_analysis.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk::test {

/// Linear power today is `amplitude` k^slope.
class SkyRun {
 public:
  static constexpr double amplitude = 20, slope = -2.2;

  SkyRun(double omega_m, std::uint32_t nside) {
    CosmologyParameters& c = parameters.cosmology;
    c.omega_m = omega_m, c.omega_lambda = 1 - omega_m, c.h = 0.7, c.a_s = 2e-9;
    parameters.model.kind = ModelKind::box;
    parameters.model.box_size = 100;
    parameters.ic.transfer_file = directory / "power.txt";
    parameters.lightcone.shells = true;
    parameters.lightcone.nside = nside;
    parameters.run.directory = directory.path();
    std::string table;
    for (int i = -60; i <= 40; ++i) {
      const double k = std::pow(10, 0.1 * i);
      table += fmt::format("{:.17g} {:.17g}\n", k, amplitude * std::pow(k, slope));
    }
    write_bytes(parameters.ic.transfer_file, table);
  }

  [[nodiscard]] std::uint64_t pixels() const {
    return 12 * std::uint64_t{parameters.lightcone.nside} * parameters.lightcone.nside;
  }
  [[nodiscard]] SkyView view() const { return sky_view(parameters.lightcone, parameters.model.box_size); }

  /// Adds an output in which power is `ratio` times linear theory, with the growth `growth`, and has shot noise.
  void add_epoch(double z, double growth, double ratio, double shot_noise) {
    nlohmann::json bins = nlohmann::json::array();
    for (int i = -30; i <= 20; ++i) {
      const double k = std::pow(10, 0.1 * i), linear = amplitude * std::pow(k, slope) * growth * growth;
      bins.push_back({{"k", k}, {"power", ratio * linear + shot_noise}, {"linear", linear}});
    }
    outputs.push_back(
        {{"z", z}, {"power", {{"shot_noise", shot_noise}, {"shot_noise_subtracted", false}, {"bins", bins}}}});
  }
  /// Adds a shell with these counts; where the universe is homogeneous a pixel has `expected` particles.
  void add_shell(double near, double far, double expected, const std::vector<std::uint32_t>& counts) {
    const Expansion expansion(parameters.cosmology);
    SkyShell shell;
    shell.number = shells_++;
    shell.near = near, shell.far = far;
    shell.z_near = 1 / departure(expansion, near) - 1, shell.z_far = 1 / departure(expansion, far) - 1;
    const double volume = 4 * std::numbers::pi / 3 * (far * far * far - near * near * near);
    shell.density = expected * static_cast<double>(pixels()) / volume;
    shell.mass = parameters.cosmology.omega_m * 27.7536627 / shell.density;
    shell.seen = solid_angle(view());
    shell.cosmology = parameters.cosmology;
    auto maps = std::make_unique<SkyMaps>(parameters.lightcone.nside, false);
    std::vector<std::uint64_t> filled;
    std::vector<std::uint32_t> numbers;
    for (std::uint64_t p = 0; p < counts.size(); ++p) {
      if (counts[p] == 0) continue;
      filled.push_back(p), numbers.push_back(counts[p]);
      shell.particles += counts[p];
    }
    maps->counts.add(filled, numbers);
    const SeenPixels seen(parameters.lightcone.nside, view());
    ShellForm form;
    ShellFiles(directory / shell_stem(shell.number), shell, std::move(maps), seen, form).complete();
  }
  /// What `multiwalk sky` finds.
  nlohmann::json analyse(double source_redshift = -1, std::uint32_t lmax = 0) {
    write_bytes(directory / "parameters.toml", to_toml(parameters));
    write_json(directory / "report.json", {{"outputs", outputs}});
    return analyse_sky({directory.path(), source_redshift, lmax});
  }

  TemporaryDirectory directory;
  Parameters parameters;
  nlohmann::json outputs = nlohmann::json::array();

 private:
  std::uint32_t shells_ = 0;
};

}  // namespace multiwalk::test
