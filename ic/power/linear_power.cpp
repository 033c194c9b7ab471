// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes and normalisation of the linear power spectrum.
// Primordial: k^3 P_R / 2 pi^2 = A_s (k / k_p)^(n_s - 1), k_p = 0.05/Mpc; delta = (2/5) (c k/H0)^2 / Omega_m T D1 R.
#include "ic/power/linear_power.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <sstream>
#include <vector>

#include "host/base/error.hpp"
#include "host/base/gsl_check.hpp"
#include "host/base/quadrature.hpp"
#include "host/cosmology/growth.hpp"
#include "ic/power/efstathiou.hpp"
#include "ic/power/eisenstein_hu.hpp"
#include "ic/power/eisenstein_hu_smooth.hpp"
#include "ic/power/power_table.hpp"

namespace multiwalk {

namespace {

constexpr double pivot = 0.05;                // 1/Mpc
constexpr double hubble_length = 2997.92458;  // c/H0 in Mpc/h
constexpr double lowest_k = 1e-6;             // h/Mpc, for sigma
constexpr double highest_k_radius = 3e3;      // k radius, for sigma

double square(double x) {
  return x * x;
}

/// A_s (k / k_p)^(n_s - 1), k in h/Mpc.
double primordial(const CosmologyParameters& cosmology, double k) {
  return cosmology.a_s * std::pow(k * cosmology.h / pivot, cosmology.n_s - 1);
}

/// Fourier transform of a spherical top-hat.
double top_hat(double x) {
  if (x < 1e-2) return 1 - x * x / 10;
  return 3 * (std::sin(x) - x * std::cos(x)) / (x * x * x);
}

/// P over T^2 for a fit: absolute with a_s, otherwise a bare power law.
std::function<double(double)> initial_power(const CosmologyParameters& cosmology) {
  if (!(cosmology.a_s > 0)) return [n_s = cosmology.n_s](double k) { return std::pow(k, n_s); };
  const double growth = Growth(Expansion(cosmology)).factor(1);
  return [cosmology, growth](double k) {
    const double potential_to_density = 0.4 * square(hubble_length * k) / cosmology.omega_m * growth;
    return 2 * square(std::numbers::pi) / (k * k * k) * primordial(cosmology, k) * square(potential_to_density);
  };
}

/// P(k) from CAMB's T = delta / k^2, k in 1/Mpc: 2 pi^2 A_s (k/k_p)^(n_s-1) k h^4 T^2.
std::vector<double> power_from_transfer(const PowerTable& table, CosmologyParameters cosmology) {
  if (!(cosmology.a_s > 0)) cosmology.a_s = 1;
  std::vector<double> power(table.k.size());
  for (std::size_t i = 0; i < power.size(); ++i) {
    power[i] = 2 * square(std::numbers::pi * square(cosmology.h) * table.value[i]) * table.k[i] *
               primordial(cosmology, table.k[i]);
  }
  return power;
}

/// int f(ln k) d ln k between rising borders, in panels that follow steep tables and top-hats' oscillations: of a table
/// with few digits an adaptive quadrature would resolve the rounding.
double integrate_panels(const std::function<double(double)>& f, const std::vector<double>& borders, double radius) {
  constexpr double widest = 0.1, most_radians = 2;
  static const Quadrature quadrature(4);
  double sum = 0;
  for (std::size_t i = 1; i < borders.size(); ++i) {
    const double width = borders[i] - borders[i - 1];
    const double turns = radius * (std::exp(borders[i]) - std::exp(borders[i - 1])) / most_radians;
    const double panels = std::ceil(std::fmax(width / widest, turns));
    for (double n = 0; n < panels; ++n)
      sum += quadrature(borders[i - 1] + width * n / panels, borders[i - 1] + width * (n + 1) / panels, f);
  }
  return sum;
}

/// The rms of ln(table / fit) about its mean when k of the table is `unit` h/Mpc, where both are known.
double misfit(const PowerTable& table, const std::vector<double>& power, const LinearPower& fit, double unit) {
  constexpr double lowest = 2e-3, highest = 2;  // h/Mpc: around the turnover
  std::vector<double> ratio;
  for (std::size_t i = 0; i < table.k.size(); ++i) {
    const double k = table.k[i] * unit;
    if (k > lowest && k < highest) ratio.push_back(std::log(power[i] / fit(k)));
  }
  if (ratio.size() < 10) return std::numeric_limits<double>::infinity();
  double mean = 0, squares = 0;
  for (const double r : ratio) mean += r / static_cast<double>(ratio.size());
  for (const double r : ratio) squares += square(r - mean) / static_cast<double>(ratio.size());
  return std::sqrt(squares);
}

/// The unit of the table's wavenumbers that its shape tells, if it is not h/Mpc; empty if it may be that.
std::string other_unit(const PowerTable& table, const std::vector<double>& power, const LinearPower& fit, double h) {
  constexpr double fits = 0.15, clearly = 3;
  const double own = misfit(table, power, fit, 1);
  if (own < fits) return "";
  const std::pair<double, const char*> units[] = {
      {1 / h, "1/Mpc"}, {1e3, "h/kpc"}, {1e3 / h, "1/kpc"}, {h, "h^2/Mpc"}, {1e-3, "h/Gpc"}};
  std::string best;
  double least = own / clearly;
  for (const auto& [unit, name] : units) {
    const double rms = misfit(table, power, fit, unit);
    if (!(rms < std::fmin(least, fits))) continue;
    least = rms;
    best = name;
  }
  return best;
}

}  // namespace

LinearPower LinearPower::from_transfer(const CosmologyParameters& cosmology, std::function<double(double)> transfer) {
  LinearPower power([transfer = std::move(transfer), initial = initial_power(cosmology)](double k) {
    return k > 0 ? initial(k) * square(transfer(k)) : 0;
  });
  if (!(cosmology.a_s > 0)) power.normalise_to_sigma8(cosmology.sigma8);
  power.facts_["n_s"] = cosmology.n_s;
  power.state_amplitude(cosmology, true);
  return power;
}

LinearPower LinearPower::eisenstein_hu(const CosmologyParameters& cosmology) {
  LinearPower power = from_transfer(cosmology, EisensteinHu(cosmology));
  power.facts_["omega_b"] = cosmology.omega_b;
  return power;
}

LinearPower LinearPower::eisenstein_hu_smooth(const CosmologyParameters& cosmology) {
  LinearPower power =
      from_transfer(cosmology, [cosmology](double k) { return eisenstein_hu_smooth_transfer(cosmology, k); });
  power.facts_["omega_b"] = cosmology.omega_b;
  power.facts_["smooth_power"] = 1;
  return power;
}

LinearPower LinearPower::efstathiou(const CosmologyParameters& cosmology) {
  LinearPower power =
      from_transfer(cosmology, [gamma = cosmology.shape_gamma](double k) { return efstathiou_transfer(gamma, k); });
  power.facts_["shape_gamma"] = cosmology.shape_gamma;
  return power;
}

namespace {

/// `unit`: of the table's wavenumbers, if its shape tells another than h/Mpc; `amplitude`: sigma8 of the table over
/// that of the cosmology.
std::string doubt_about(const std::string& path, const std::string& unit, double amplitude) {
  std::ostringstream doubt;
  if (!unit.empty()) {
    doubt << path << ": the table has the shape of this cosmology if its wavenumbers are in " << unit
          << ", and not in h/Mpc as it is read: convert k to h/Mpc and P to (Mpc/h)^3";
  } else if (amplitude < 0.8 || amplitude > 1.25) {
    doubt << path << ": the table's own sigma8 is " << amplitude
          << " times that of this cosmology: it should be at z = 0, with P in (Mpc/h)^3";
  }
  return doubt.str();
}

}  // namespace

LinearPower LinearPower::from_file(const std::string& path, const CosmologyParameters& cosmology) {
  const PowerTable table = read_power_table(path);
  const std::vector<double> values = table.transfer ? power_from_transfer(table, cosmology) : table.value;
  const LogSpline spline(table.k, values);
  const double first = table.k.front();
  const double last = table.k.back();
  const LinearPower fit = eisenstein_hu(cosmology);
  LinearPower power(
      [spline, fit, first, last, low = spline(first) / fit(first), high = spline(last) / fit(last)](double k) {
        if (k < first) return low * fit(k);
        if (k > last) return high * fit(k);
        return spline(k);
      });
  power.k_min_ = first;
  power.k_max_ = last;
  power.file_ = path;
  power.borders_ = table.k;
  const double own = power.sigma(8);
  if (!(own > 1e-12) || !(own < 1e12)) {
    throw InputError(path +
                     ": this linear power has no rms in spheres of 8 Mpc/h, or one far from any sigma8; check its "
                     "columns and their units: k in h/Mpc, P in (Mpc/h)^3");
  }
  const bool scaled = !(cosmology.a_s > 0);
  if (scaled) power.normalise_to_sigma8(cosmology.sigma8);
  power.doubt_ =
      doubt_about(path, other_unit(table, values, fit, cosmology.h), table.transfer ? 1 : own / fit.sigma(8));
  power.facts_ = {};
  if (table.transfer) power.facts_["n_s"] = cosmology.n_s;
  power.state_amplitude(cosmology, table.transfer);
  if (scaled && !table.transfer) power.facts_["table_scaled_by"] = power.amplitude_;
  return power;
}

LinearPower LinearPower::of(const CosmologyParameters& cosmology, const std::string& path) {
  if (!path.empty()) return from_file(path, cosmology);
  if (cosmology.shape_gamma > 0) return efstathiou(cosmology);
  return cosmology.smooth_power ? eisenstein_hu_smooth(cosmology) : eisenstein_hu(cosmology);
}

void LinearPower::normalise_to_sigma8(double sigma8) {
  if (!(sigma8 > 0)) throw InputError("cosmology.sigma8 must be positive when a_s is not given");
  amplitude_ = square(sigma8 / sigma(8));
}

void LinearPower::state_amplitude(const CosmologyParameters& cosmology, bool from_a_s) {
  const bool scaled = !(cosmology.a_s > 0);
  if (!scaled && from_a_s) facts_["a_s"] = cosmology.a_s;
  scaled ? facts_["sigma8"] = cosmology.sigma8 : facts_["sigma8_derived"] = sigma(8);
}

std::string LinearPower::description() const {
  std::ostringstream text;
  text << "linear power with sigma8 = " << sigma(8);
  if (facts_.contains("a_s")) text << " from a_s";
  if (const auto factor = facts_.find("table_scaled_by"); factor != facts_.end())
    text << ", " << file_ << " times " << factor->second;
  else if (k_max_ > 0)
    text << ", " << file_ << " as it is";
  return text.str();
}

double LinearPower::sigma(double radius) const {
  const auto variance_per_ln_k = [&](double ln_k) {
    const double k = std::exp(ln_k);
    return k * k * k * (*this)(k) / (2 * square(std::numbers::pi)) * square(top_hat(k * radius));
  };
  const double low = std::log(lowest_k), high = std::log(highest_k_radius / radius);
  if (borders_.empty()) return std::sqrt(integrate(variance_per_ln_k, low, high, 1e-7));
  std::vector<double> borders{low};
  for (const double k : borders_)
    if (std::log(k) > low && std::log(k) < high) borders.push_back(std::log(k));
  borders.push_back(high);
  return std::sqrt(integrate_panels(variance_per_ln_k, borders, radius));
}

void LinearPower::require_box(double box_size) const {
  const double fundamental = 2 * std::numbers::pi / box_size;
  if (fundamental >= k_min_) return;
  std::ostringstream message;
  message << file_ << ": the table begins at k = " << k_min_ << " h/Mpc, but the longest wave of a box of " << box_size
          << " Mpc/h has k = " << fundamental << " h/Mpc; use a table that reaches lower k or a smaller model.box_size";
  throw InputError(message.str());
}

std::string LinearPower::warning(double k) const {
  if (k_max_ == 0 || k <= k_max_) return doubt_;
  std::ostringstream message;
  message << doubt_ << (doubt_.empty() ? "" : "; ") << file_ << ": the table ends at k = " << k_max_ << " h/Mpc; up to "
          << k << " h/Mpc the power continues with the Eisenstein-Hu shape";
  return message.str();
}

}  // namespace multiwalk
