// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/halos/mass_function.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/base/error.hpp"

namespace multiwalk {

std::vector<MassBin> measure_mass_function(std::span<const double> masses, double volume, double lowest,
                                           int bins_per_decade, const Communicator& comm) {
  require(volume > 0 && lowest > 0 && bins_per_decade > 0, "measure_mass_function: volume, mass or bins");
  const auto bin_of = [&](double mass) { return std::floor(std::log10(mass / lowest) * bins_per_decade); };
  double greatest = 0;
  for (const double mass : masses) greatest = std::max(greatest, mass);
  greatest = comm.max(greatest);
  if (!(greatest >= lowest)) return {};
  const auto bins = static_cast<std::size_t>(bin_of(greatest)) + 1;
  std::vector<std::uint64_t> count(bins, 0);
  std::vector<double> sum(bins, 0);
  for (const double mass : masses) {
    if (!(mass >= lowest)) continue;
    const auto bin = static_cast<std::size_t>(bin_of(mass));
    ++count[bin];
    sum[bin] += mass;
  }
  comm.sum(std::span<std::uint64_t>(count));
  comm.sum(std::span<double>(sum));
  const double width = std::numbers::ln10 / bins_per_decade;
  std::vector<MassBin> result(bins);
  for (std::size_t b = 0; b < bins; ++b) {
    const auto n = static_cast<double>(count[b]);
    MassBin& bin = result[b];
    bin.low = lowest * std::exp(width * static_cast<double>(b));
    bin.high = lowest * std::exp(width * static_cast<double>(b + 1));
    bin.mass = count[b] > 0 ? sum[b] / n : std::sqrt(bin.low * bin.high);
    bin.count = count[b];
    bin.density = n / (volume * width);
    bin.error = std::sqrt(n) / (volume * width);
  }
  return result;
}

double jenkins_multiplicity(double sigma) {
  return 0.315 * std::exp(-std::pow(std::fabs(0.61 - std::log(sigma)), 3.8));
}

double tinker_multiplicity(double sigma, double z) {
  const double growth = 1 + std::clamp(z, 0.0, 2.5);
  const double alpha = std::pow(10, -std::pow(0.75 / std::log10(200.0 / 75.0), 1.2));
  const double amplitude = 0.186 * std::pow(growth, -0.14), a = 1.47 * std::pow(growth, -0.06);
  const double b = 2.57 * std::pow(growth, -alpha), c = 1.19;
  return amplitude * (std::pow(sigma / b, -a) + 1) * std::exp(-c / (sigma * sigma));
}

double fitted_mass_function(double mass, double mean_density, const std::function<double(double)>& sigma_of_radius,
                            const std::function<double(double)>& multiplicity) {
  const auto sigma = [&](double m) {
    return sigma_of_radius(std::cbrt(3 * m / (4 * std::numbers::pi * mean_density)));
  };
  constexpr double step = 0.02;  // in ln M
  const double slope = std::log(sigma(mass * std::exp(-step)) / sigma(mass * std::exp(step))) / (2 * step);
  return multiplicity(sigma(mass)) * mean_density / mass * std::fabs(slope);
}

}  // namespace multiwalk
