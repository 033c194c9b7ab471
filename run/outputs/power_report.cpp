// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/outputs/power_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "host/cosmology/growth.hpp"
#include "ic/power/linear_power.hpp"
#include "run/files/number_text.hpp"
#include "run/files/printable.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

constexpr std::array<std::pair<const char*, Assignment>, 3> assignments{
    {{"cic", Assignment::cic}, {"tsc", Assignment::tsc}, {"pcs", Assignment::pcs}}};

/// Linear power of the source's cosmology at its epoch, k in h/Mpc.
std::function<double(double)> linear_theory(const PowerSource& source) {
  const Growth growth(Expansion(source.cosmology), source.system.time);
  const double ratio = growth.factor(source.system.time) / growth.factor(1);
  const LinearPower today = LinearPower::of(source.cosmology, source.transfer_file);
  return [today, squared = ratio * ratio](double k) { return squared * today(k); };
}

/// Mean over the wave vectors n of a shell, k = |n| width.
double mean_over_vectors(const std::function<double(double)>& power, std::uint32_t shell, double width) {
  const auto top = static_cast<std::int64_t>(shell);
  std::vector<std::uint32_t> vectors(static_cast<std::size_t>(top * (top + 1)) + 1, 0);  // by n^2
  for (std::int64_t x = -top; x <= top; ++x) {
    for (std::int64_t y = -top; y <= top; ++y) {
      for (std::int64_t z = -top; z <= top; ++z) {
        const auto n2 = static_cast<std::size_t>(x * x + y * y + z * z);
        if (n2 < vectors.size()) ++vectors[n2];
      }
    }
  }
  double sum = 0, number = 0;
  for (auto n2 = static_cast<std::size_t>(top * (top - 1) + 1); n2 < vectors.size(); ++n2) {
    if (vectors[n2] == 0) continue;
    sum += vectors[n2] * power(std::sqrt(static_cast<double>(n2)) * width);
    number += vectors[n2];
  }
  return sum / number;
}

/// Mean over the wave vectors of a bin; in high shells by Simpson's rule in k with k^2 as weight.
double mean_over_bin(const std::function<double(double)>& power, const PowerBin& bin, double width) {
  constexpr std::uint32_t last_counted = 24;
  if (bin.shell <= last_counted) return mean_over_vectors(power, bin.shell, width);
  const double k = bin.k;
  const double lo = std::max(k - width / 2, 1e-3 * k), hi = k + width / 2, mid = (lo + hi) / 2;
  const double weights = lo * lo + 4 * mid * mid + hi * hi;
  return (lo * lo * power(lo) + 4 * mid * mid * power(mid) + hi * hi * power(hi)) / weights;
}

/// The cosmology of the linear power, of which only what decides it is stated.
json cosmology_json(const PowerSource& source) {
  const CosmologyParameters& c = source.cosmology;
  json figures = LinearPower::of(c, source.transfer_file).facts();
  figures.update({{"omega_m", c.omega_m}, {"omega_lambda", c.omega_lambda}, {"h", c.h}, {"w0", c.w0}, {"wa", c.wa}});
  return figures;
}

json bins_json(const PowerSource& source, const PowerSpectrum& spectrum) {
  const bool comoving = source.system.frame == Frame::comoving;
  const auto linear = comoving ? linear_theory(source) : nullptr;
  const double fundamental = 2 * spectrum.nyquist / spectrum.mesh;
  json bins = json::array();
  for (const PowerBin& bin : joined(spectrum)) {
    json row{{"k", bin.k}, {"power", bin.power}, {"sigma", bin.sigma}, {"modes", bin.modes}, {"fold", bin.fold}};
    row["linear"] = linear ? json(mean_over_bin(linear, bin, std::ldexp(fundamental, bin.fold))) : json(nullptr);
    bins.push_back(row);
  }
  return bins;
}

std::string linear_text(const json& row, const char* format) {
  const json& linear = row.at("linear");
  return linear.is_null() ? "" : fmt::format(fmt::runtime(format), linear.get<double>());
}

}  // namespace

const char* assignment_name(Assignment assignment) {
  return std::ranges::find(assignments, assignment, [](const auto& a) { return a.second; })->first;
}

Assignment assignment_from(const std::string& name) {
  for (const auto& [known, assignment] : assignments) {
    if (name == known) return assignment;
  }
  throw SharedError("--assignment " + name + ": use cic, tsc or pcs");
}

json power_json(const PowerSource& source, const PowerOptions& options, const PowerSpectrum& spectrum) {
  const bool comoving = source.system.frame == Frame::comoving;
  return {{"snapshot", source.snapshot},
          {"particles", spectrum.particles},
          {"redshift", comoving ? json(1 / source.system.time - 1) : json(nullptr)},
          {"box_size", source.system.box_size},
          {"mesh", spectrum.mesh},
          {"assignment", assignment_name(options.assignment)},
          {"interlacing", options.interlacing},
          {"folds", options.folds},
          {"shot_noise", spectrum.shot_noise},
          {"shot_noise_subtracted", options.subtract_shot_noise},
          {"nyquist", spectrum.nyquist},
          {"cosmology", comoving ? cosmology_json(source) : json(nullptr)},
          {"bins", bins_json(source, spectrum)}};
}

std::string power_text(const json& power) {
  std::string text = fmt::format(
      "{}: {} particles{}, box {:g} Mpc/h, mesh {}^3 {}{}, {} folds\nshot noise {:.4g} (Mpc/h)^3, {}; Nyquist "
      "wavenumber of the unfolded mesh {:.4g} h/Mpc\n",
      printable(power.at("snapshot").get<std::string>()), with_commas(power.at("particles").get<double>()),
      power.at("redshift").is_null() ? "" : fmt::format(" at z = {:.4g}", power.at("redshift").get<double>()),
      power.at("box_size").get<double>(), power.at("mesh").get<int>(), power.at("assignment").get<std::string>(),
      power.at("interlacing").get<bool>() ? " interlaced" : "", power.at("folds").get<int>(),
      power.at("shot_noise").get<double>(),
      power.at("shot_noise_subtracted").get<bool>() ? "subtracted" : "not subtracted",
      power.at("nyquist").get<double>());
  text +=
      fmt::format("{:>10} {:>11} {:>11} {:>11} {:>10} {:>4}\n", "k [h/Mpc]", "P", "sigma", "linear P", "modes", "fold");
  double next = 0;
  for (const json& row : power.at("bins")) {
    const double k = row.at("k").get<double>();
    if (k < next) continue;
    next = 1.15 * k;
    text += fmt::format("{:>10.4g} {:>11.4g} {:>11.3g} {:>11} {:>10} {:>4}\n", k, row.at("power").get<double>(),
                        row.at("sigma").get<double>(), linear_text(row, "{:.4g}"), row.at("modes").get<std::uint64_t>(),
                        row.at("fold").get<int>());
  }
  return text;
}

std::string power_csv(const json& power) {
  std::string text = "k,power,modes,sigma,shot_noise,fold,linear\n";
  for (const json& row : power.at("bins")) {
    text += fmt::format("{},{},{},{},{},{},{}\n", row.at("k").get<double>(), row.at("power").get<double>(),
                        row.at("modes").get<std::uint64_t>(), row.at("sigma").get<double>(),
                        power.at("shot_noise").get<double>(), row.at("fold").get<int>(), linear_text(row, "{}"));
  }
  return text;
}

}  // namespace multiwalk
