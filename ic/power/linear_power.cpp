// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes and normalisation of the linear power spectrum.
// Primordial: k^3 P_R / 2 pi^2 = A_s (k / k_p)^(n_s - 1), k_p = 0.05/Mpc; delta = (2/5) (c k/H0)^2 / Omega_m T D1 R.
#include "ic/power/linear_power.hpp"

#include <cmath>
#include <memory>
#include <numbers>
#include <sstream>

#include "host/base/error.hpp"
#include "host/base/gsl_check.hpp"
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

}  // namespace

LinearPower LinearPower::from_transfer(const CosmologyParameters& cosmology, std::function<double(double)> transfer) {
  LinearPower power([transfer = std::move(transfer), initial = initial_power(cosmology)](double k) {
    return k > 0 ? initial(k) * square(transfer(k)) : 0;
  });
  if (!(cosmology.a_s > 0)) power.normalise_to_sigma8(cosmology.sigma8);
  return power;
}

LinearPower LinearPower::eisenstein_hu(const CosmologyParameters& cosmology) {
  return from_transfer(cosmology, EisensteinHu(cosmology));
}

LinearPower LinearPower::eisenstein_hu_smooth(const CosmologyParameters& cosmology) {
  return from_transfer(cosmology, [cosmology](double k) { return eisenstein_hu_smooth_transfer(cosmology, k); });
}

LinearPower LinearPower::efstathiou(const CosmologyParameters& cosmology) {
  return from_transfer(cosmology, [gamma = cosmology.shape_gamma](double k) { return efstathiou_transfer(gamma, k); });
}

LinearPower LinearPower::from_file(const std::string& path, const CosmologyParameters& cosmology) {
  const PowerTable table = read_power_table(path);
  const LogSpline spline(table.k, table.transfer ? power_from_transfer(table, cosmology) : table.value);
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
  if (cosmology.a_s > 0) return power;
  try {
    power.normalise_to_sigma8(cosmology.sigma8);
  } catch (const Error&) {  // the integral does not converge
    power.amplitude_ = 0;
  }
  if (!(power.amplitude_ > 0) || !std::isfinite(power.amplitude_)) {
    throw InputError(path +
                     ": this linear power has no rms in spheres of 8 Mpc/h that could be scaled to sigma8; check "
                     "its columns and their units: k in h/Mpc, P in (Mpc/h)^3");
  }
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

double LinearPower::sigma(double radius) const {
  const auto variance_per_ln_k = [&](double ln_k) {
    const double k = std::exp(ln_k);
    return k * k * k * (*this)(k) / (2 * square(std::numbers::pi)) * square(top_hat(k * radius));
  };
  return std::sqrt(integrate(variance_per_ln_k, std::log(lowest_k), std::log(highest_k_radius / radius), 1e-7));
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
  if (k_max_ == 0 || k <= k_max_) return {};
  std::ostringstream message;
  message << file_ << ": the table ends at k = " << k_max_ << " h/Mpc; up to " << k
          << " h/Mpc the power continues with the Eisenstein-Hu shape";
  return message.str();
}

}  // namespace multiwalk
