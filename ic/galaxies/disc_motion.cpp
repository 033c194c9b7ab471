// SPDX-License-Identifier: GPL-3.0-or-later
#include "ic/galaxies/disc_motion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "host/base/quadrature.hpp"

namespace multiwalk {

namespace {

constexpr double toomre = 3.36;                  ///< Toomre (1964); Binney & Tremaine (2008) eq. 6.71
constexpr double reference_radius = 2;           ///< R_d, where Q is given
constexpr double nearest = 1e-4, farthest = 60;  ///< R_d: the table of pulls
constexpr double many_heights = 20;

}  // namespace

DiscMotion::DiscMotion(const GalaxyOptions& galaxy, const GalaxyPotential& potential)
    : potential_(potential), height_(galaxy.disc_height), central_sigma_r2_(0) {
  const double scale = galaxy.disc_radius, reference = reference_radius * scale;
  if (!potential.spheroids().empty()) {
    const std::vector<double> radii = logarithmic_radii(nearest * scale, farthest * scale, 40);
    std::vector<double> pulls;
    for (const double cylinder : radii) pulls.push_back(pull_of_spheroids(cylinder));
    mean_pull_.emplace(radii, pulls);
  }
  const double sigma =
      galaxy.toomre_q * toomre * potential.disc().surface_density(reference) / std::sqrt(epicyclic2(reference));
  central_sigma_r2_ = sigma * sigma * std::exp(reference_radius);
}

double DiscMotion::speed2(double cylinder) const {
  return potential_.spheroid_mass(cylinder) / cylinder + potential_.disc().speed2(cylinder);
}

double DiscMotion::epicyclic2(double cylinder) const {
  // kappa^2 = R dOmega^2/dR + 4 Omega^2, Binney & Tremaine (2008) eq. 3.80.
  const double of_spheroids = 4 * std::numbers::pi * cylinder * cylinder * potential_.spheroid_density(cylinder) -
                              potential_.spheroid_mass(cylinder) / cylinder;
  const double change = of_spheroids + potential_.disc().speed2_change(cylinder);
  return (change + 2 * speed2(cylinder)) / (cylinder * cylinder);
}

double DiscMotion::sigma_r2(double cylinder) const {
  return central_sigma_r2_ * std::exp(-cylinder / potential_.disc().radius);
}

double DiscMotion::toomre_q(double cylinder) const {
  return std::sqrt(sigma_r2(cylinder) * epicyclic2(cylinder)) / (toomre * potential_.disc().surface_density(cylinder));
}

/// Over the heights z of the stars at R: int sech^2(s) z dphi/dz ds with z = s z_0.
double DiscMotion::pull_of_spheroids(double cylinder) const {
  return Quadrature(100)(0, many_heights, [&](double s) {
    const double z = s * height_, r = std::hypot(cylinder, z);
    return z * z * potential_.spheroid_mass(r) / (r * r * r) / std::pow(std::cosh(s), 2);
  });
}

double DiscMotion::mean_pull(double cylinder) const {
  const double scale = potential_.disc().radius;
  return mean_pull_ ? (*mean_pull_)(std::clamp(cylinder, nearest * scale, farthest * scale)) : 0;
}

DiscVelocities DiscMotion::at(double cylinder) const {
  const double circular2 = speed2(cylinder), radial2 = sigma_r2(cylinder);
  // kappa^2 / (4 Omega^2)
  const double ratio = epicyclic2(cylinder) * cylinder * cylinder / (4 * circular2);
  // The density and sigma_R^2 both fall as exp(-R/R_d).
  const double drift = radial2 * (1 - ratio - 2 * cylinder / potential_.disc().radius);
  const double sigma_z2 =
      std::numbers::pi * potential_.disc().surface_density(cylinder) * height_ + mean_pull(cylinder);
  return {std::sqrt(std::max(circular2 + drift, 0.0)), std::sqrt(radial2), std::sqrt(ratio * radial2),
          std::sqrt(sigma_z2)};
}

}  // namespace multiwalk
