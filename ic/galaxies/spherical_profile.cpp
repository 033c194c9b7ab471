// SPDX-License-Identifier: GPL-3.0-or-later
#include "ic/galaxies/spherical_profile.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/base/error.hpp"
#include "host/base/quadrature.hpp"

namespace multiwalk {

namespace {

double cusp_density(const CuspShape& shape, double r) {
  const double x = r / shape.radius;
  const double end = r / shape.cut;
  return std::exp(-end * end) / (x * std::pow(1 + x, shape.fall));
}

std::vector<double> odds_of(const std::vector<double>& inner, const std::vector<double>& outer) {
  std::vector<double> odds;
  for (std::size_t i = 0; i < outer.size() && outer[i] > 0; ++i) odds.push_back(inner[i] / outer[i]);
  if (odds.size() < 3 || !std::isfinite(odds.back()))
    throw InputError("galaxy: the mass of halo or bulge cannot be computed; choose radii that differ less");
  return odds;
}

}  // namespace

SphericalProfile::Masses SphericalProfile::masses_of(const CuspShape& shape, const std::vector<double>& radii) {
  const Quadrature quadrature(12);
  Masses masses{{2 * std::numbers::pi * cusp_density(shape, radii[0]) * std::pow(radii[0], 3)}, {0}};
  std::vector<double> shells;
  for (std::size_t i = 1; i < radii.size(); ++i) {
    shells.push_back(quadrature(std::log(radii[i - 1]), std::log(radii[i]), [&](double ln_r) {
      const double r = std::exp(ln_r);
      return 4 * std::numbers::pi * r * r * r * cusp_density(shape, r);
    }));
    masses.inner.push_back(masses.inner.back() + shells.back());
  }
  for (std::size_t i = shells.size(); i > 0; --i) masses.outer.push_back(masses.outer.back() + shells[i - 1]);
  std::reverse(masses.outer.begin(), masses.outer.end());
  return masses;
}

SphericalProfile::SphericalProfile(const CuspShape& shape, double mass, const std::vector<double>& radii)
    : SphericalProfile(shape, mass, radii, masses_of(shape, radii)) {}

SphericalProfile::SphericalProfile(const CuspShape& shape, double mass, const std::vector<double>& radii,
                                   const Masses& masses)
    : shape_(shape),
      mass_(mass),
      amplitude_(mass / masses.inner.back()),
      first_(radii.front()),
      last_(radii.back()),
      first_fraction_(masses.inner.front() / masses.inner.back()),
      largest_odds_(odds_of(masses.inner, masses.outer).back()),
      inner_(radii, masses.inner),
      radius_(odds_of(masses.inner, masses.outer),
              {radii.begin(), radii.begin() + odds_of(masses.inner, masses.outer).size()}) {}

double SphericalProfile::shape_density(double r) const {
  return cusp_density(shape_, r);
}

double SphericalProfile::slope(double r) const {
  const double x = r / shape_.radius;
  return -1 - shape_.fall * x / (1 + x) - 2 * std::pow(r / shape_.cut, 2);
}

double SphericalProfile::slope_change(double r) const {
  const double x = r / shape_.radius;
  return -shape_.fall * x / ((1 + x) * (1 + x)) - 4 * std::pow(r / shape_.cut, 2);
}

double SphericalProfile::enclosed(double r) const {
  if (r < first_) return mass_ * first_fraction_ * std::pow(r / first_, 2);
  return r < last_ ? std::min(amplitude_ * inner_(r), mass_) : mass_;
}

double SphericalProfile::radius_of(double fraction) const {
  if (fraction < first_fraction_) return first_ * std::sqrt(fraction / first_fraction_);
  return radius_(std::min(fraction / (1 - fraction), largest_odds_));
}

std::vector<double> logarithmic_radii(double from, double to, int points) {
  std::vector<double> radii;
  for (int i = 0; radii.empty() || radii.back() < to; ++i) radii.push_back(from * std::pow(10, i / double(points)));
  return radii;
}

}  // namespace multiwalk
