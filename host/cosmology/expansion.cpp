// SPDX-License-Identifier: GPL-3.0-or-later
// Friedmann background with w0-wa dark energy (Chevallier & Polarski 2001; Linder 2003); integrals of Quinn et al.
// (1997).
#include "host/cosmology/expansion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include "host/base/error.hpp"
#include "host/base/gsl_check.hpp"
#include "host/base/units.hpp"
#include "host/text/plain_number.hpp"

namespace multiwalk {

namespace {

constexpr double earliest_a = 1e-8;
constexpr double effective_neutrinos = 3.046;

/// Photons and massless neutrinos: 4 sigma T^4 / c^3 over the critical density, times 1 + N_eff (7/8) (4/11)^(4/3).
double radiation_density(double t_cmb, double h) {
  constexpr double stefan_boltzmann = 5.670374419e-5;  // erg cm^-2 s^-1 K^-4
  constexpr double light = 2.99792458e10;              // cm/s
  const double hubble = 100 * h * units::cm_per_km / units::cm_per_mpc;
  const double critical = 3 * hubble * hubble / (8 * std::numbers::pi * units::newton_cgs);
  const double photons = 4 * stefan_boltzmann * std::pow(t_cmb, 4) / std::pow(light, 3) / critical;
  return photons * (1 + effective_neutrinos * 7.0 / 8.0 * std::pow(4.0 / 11.0, 4.0 / 3.0));
}

}  // namespace

double curvature(const CosmologyParameters& p) {
  return 1 - p.omega_m - p.omega_lambda - (p.radiation ? radiation_density(p.t_cmb, p.h) : 0);
}

bool is_flat(const CosmologyParameters& parameters) {
  constexpr double most = 1e-4;
  return std::fabs(curvature(parameters)) <= most;
}

void require_flat(const CosmologyParameters& parameters, const std::string& what) {
  if (is_flat(parameters)) return;
  std::array<char, 160> facts{};
  std::snprintf(facts.data(), facts.size(), "omega_m = %g and omega_lambda = %g leave a curvature of Omega_k = %g",
                parameters.omega_m, parameters.omega_lambda, curvature(parameters));
  throw InputError(what + " for a flat universe only, since angles and areas are Euclid's here, but " + facts.data());
}

struct Expansion::Terms {
  double matter, radiation, curvature, dark_energy;

  [[nodiscard]] double sum() const { return matter + radiation + curvature + dark_energy; }
};

Expansion::Expansion(const CosmologyParameters& parameters, double hubble0)
    : parameters_(parameters), hubble0_(hubble0) {
  if (!(parameters.omega_m > 0)) throw InputError("cosmology.omega_m must be positive");
  if (!(parameters.h > 0)) throw InputError("cosmology.h must be positive");
  if (parameters.radiation) omega_r_ = radiation_density(parameters.t_cmb, parameters.h);
  omega_k_ = curvature(parameters);
  require_expansion(1);
}

void Expansion::require_expansion(double until) const {
  for (double a = margin * until; a > earliest_a; a /= 1.1) {
    if (terms(a).sum() > 0) continue;
    throw InputError("cosmology: H^2 is not positive at a = " + text_of(a) +
                     (a > margin ? ", such a universe does not expand that far; end the run earlier (time.z_end)"
                                 : ", such a universe did not expand from a big bang; check the density parameters"));
  }
}

Expansion::Terms Expansion::terms(double a) const {
  const double w0 = parameters_.w0;
  const double wa = parameters_.wa;
  const double dark = parameters_.omega_lambda * std::pow(a, -3 * (1 + w0 + wa)) * std::exp(-3 * wa * (1 - a));
  return {parameters_.omega_m / (a * a * a), omega_r_ / (a * a * a * a), omega_k_ / (a * a), dark};
}

double Expansion::efunc(double a) const {
  return std::sqrt(terms(a).sum());
}

double Expansion::dlnefunc_dlna(double a) const {
  const Terms e2 = terms(a);
  const double w = parameters_.w0 + parameters_.wa * (1 - a);
  return -0.5 * (3 * e2.matter + 4 * e2.radiation + 2 * e2.curvature + 3 * (1 + w) * e2.dark_energy) / e2.sum();
}

double Expansion::omega_m(double a) const {
  const Terms e2 = terms(a);
  return e2.matter / e2.sum();
}

double Expansion::time(double a) const {
  const auto integrand = [this](double root) { return root > 0 ? 2 / (root * hubble(root * root)) : 0.0; };
  return integrate(integrand, 0, std::sqrt(a));
}

double Expansion::kick_factor(double a0, double a1) const {
  return integrate([this](double ln_a) { return std::exp(-ln_a) / hubble(std::exp(ln_a)); }, std::log(a0),
                   std::log(a1));
}

double Expansion::drift_factor(double a0, double a1) const {
  return integrate([this](double ln_a) { return std::exp(-2 * ln_a) / hubble(std::exp(ln_a)); }, std::log(a0),
                   std::log(a1));
}

double Expansion::advance(double a0, double dt) const {
  const double start = std::log(a0);
  double ln_a = start;
  double elapsed = 0;
  for (int iteration = 0; iteration < 200; ++iteration) {
    const double step = std::clamp((dt - elapsed) * hubble(std::exp(ln_a)), -1.0, 1.0);
    ln_a += step;
    if (std::fabs(step) < 1e-13 + 1e-11 * std::fabs(ln_a - start)) return std::exp(ln_a);
    elapsed = integrate([this](double x) { return 1 / hubble(std::exp(x)); }, start, ln_a);
  }
  throw Error("no expansion factor lies " + text_of(dt) + " after a = " + text_of(a0));
}

}  // namespace multiwalk
