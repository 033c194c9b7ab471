// SPDX-License-Identifier: GPL-3.0-or-later
#include "ic/galaxies/distribution_function.hpp"

#include <algorithm>
#include <numbers>

#include "host/base/error.hpp"
#include "host/base/quadrature.hpp"

namespace multiwalk {

namespace {

constexpr double least_mass = 1e-16;  ///< of a spheroid, at the edge of its table
constexpr double slowest = 1e-5;      ///< speed over that of escape among those tried for the bound
constexpr int speeds = 300;           ///< tried for the bound
constexpr double margin = 1.1;        ///< of the bound, between the speeds and radii tried

std::vector<double> radii_with_mass(const SphericalProfile& spheroid, const std::vector<double>& radii) {
  std::vector<double> kept;
  for (std::size_t i = 0; i + 1 < radii.size(); ++i) {
    const double r = radii[i];
    if (kept.size() > 3 && spheroid.density(r) * r * r * r < least_mass * spheroid.mass() && r > kept[0] * 1e3) break;
    kept.push_back(r);
  }
  return kept;
}

double odds_at(double r, const GalaxyPotential& potential) {
  return potential.climb(r) / potential.depth(r);
}

/// psi(inner) - psi(outer), from the smaller of the numbers.
double fall_between(double inner, double outer, const GalaxyPotential& potential) {
  const bool deep = potential.climb(inner) < potential.depth(inner);
  return deep ? potential.climb(outer) - potential.climb(inner) : potential.depth(inner) - potential.depth(outer);
}

/// d2rho/dpsi2 times dpsi / d ln r; with w = -dpsi / d ln r = M(<r) / r.
double curvature(double r, const SphericalProfile& spheroid, const GalaxyPotential& potential) {
  const double mass = potential.enclosed(r), slope = spheroid.slope(r);
  const double mass_slope = 4 * std::numbers::pi * r * r * r * potential.density(r) / mass;
  return spheroid.density(r) * (slope * slope + spheroid.slope_change(r) - slope * (mass_slope - 1)) * r / mass;
}

/// (radii) f(psi(r)) by Binney & Tremaine (2008) eq. 4.46b, whose second term vanishes with the density at the edge. In
/// t = sqrt(ln r') the integrand has no singularity.
std::vector<double> eddington(const std::vector<double>& radii, const SphericalProfile& spheroid,
                              const GalaxyPotential& potential) {
  const Quadrature quadrature(200);
  const double edge = potential.radii().back();
  std::vector<double> f(radii.size());
  for (std::size_t i = 0; i < radii.size(); ++i) {
    f[i] = quadrature(0, std::sqrt(std::log(edge / radii[i])), [&](double t) {
      const double r = radii[i] * std::exp(t * t);
      return 2 * t * curvature(r, spheroid, potential) / std::sqrt(fall_between(radii[i], r, potential));
    });
    f[i] /= std::sqrt(8) * std::numbers::pi * std::numbers::pi;
    if (!(f[i] > 0))
      throw InputError(
          "galaxy: halo or bulge has no isotropic equilibrium in the potential of the others; choose masses and radii "
          "that differ less");
  }
  return f;
}

std::vector<double> all_odds(const std::vector<double>& radii, const GalaxyPotential& potential) {
  std::vector<double> odds;
  for (const double r : radii) odds.push_back(odds_at(r, potential));
  return odds;
}

}  // namespace

DistributionFunction::DistributionFunction(const SphericalProfile& spheroid, const GalaxyPotential& potential)
    : radii_(radii_with_mass(spheroid, potential.radii())),
      deepest_(odds_at(radii_.front(), potential)),
      shallowest_(odds_at(radii_.back(), potential)),
      f_(all_odds(radii_, potential), eddington(radii_, spheroid, potential)),
      bound_({radii_.begin(), radii_.end() - 1}, bounds(potential)) {}

double DistributionFunction::operator()(double climb, double depth) const {
  if (climb >= shallowest_ * depth) return 0;
  return f_(std::max(climb / depth, deepest_));
}

double DistributionFunction::within(double r) const {
  return std::clamp(r, radii_.front(), radii_[radii_.size() - 2]);
}

/// (radii but the last, where nothing is bound to the table)
std::vector<double> DistributionFunction::bounds(const GalaxyPotential& potential) const {
  std::vector<double> bound;
  for (std::size_t i = 0; i + 1 < radii_.size(); ++i) {
    const double depth = potential.depth(radii_[i]), climb = potential.climb(radii_[i]);
    double most = 0;
    for (int j = 0; j < speeds; ++j) {
      const double v2 = 2 * depth * std::pow(slowest, 2.0 * j / speeds);
      most = std::max(most, v2 * (*this)(climb + v2 / 2, depth - v2 / 2));
    }
    bound.push_back(margin * most);
  }
  return bound;
}

}  // namespace multiwalk
