// SPDX-License-Identifier: GPL-3.0-or-later
// Eisenstein & Hu (1998), ApJ 496, 605; equation numbers are given with each line. R at the drag epoch uses 1000/(1 +
// z_d), as in the authors' own code.
#include "ic/power/eisenstein_hu.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace multiwalk {

namespace {

double cube(double x) {
  return x * x * x;
}

/// Equations 18 and 20 without baryonic suppression of C: ln / (ln + C q^2).
double pressureless_transfer(double q, double alpha, double beta) {
  const double log_term = std::log(std::numbers::e + 1.8 * beta * q);    // (19)
  const double c = 14.2 / alpha + 386 / (1 + 69.9 * std::pow(q, 1.08));  // (20)
  return log_term / (log_term + c * q * q);
}

}  // namespace

EisensteinHu::EisensteinHu(const CosmologyParameters& cosmology) : h_(cosmology.h) {
  const double h2 = cosmology.h * cosmology.h;
  const double m = cosmology.omega_m * h2;
  const double b = std::max(cosmology.omega_b * h2, 1e-8 * m);  // the limit of the formulas without baryons
  baryon_fraction_ = b / m;
  const double theta2 = cosmology.t_cmb / 2.7 * cosmology.t_cmb / 2.7;

  const double z_equality = 2.50e4 * m / (theta2 * theta2);                          // (2)
  k_equality_ = 0.0746 * m / theta2;                                                 // (3)
  const double b1 = 0.313 * std::pow(m, -0.419) * (1 + 0.607 * std::pow(m, 0.674));  // (4)
  const double b2 = 0.238 * std::pow(m, 0.223);
  const double z_drag = 1291 * std::pow(m, 0.251) / (1 + 0.659 * std::pow(m, 0.828)) * (1 + b1 * std::pow(b, b2));
  const double r_drag = 31.5 * b / (theta2 * theta2) * 1000 / (1 + z_drag);  // (5)
  const double r_equality = 31.5 * b / (theta2 * theta2) * 1000 / z_equality;
  sound_horizon_ =
      2 / (3 * k_equality_) * std::sqrt(6 / r_equality) *
      std::log((std::sqrt(1 + r_drag) + std::sqrt(r_drag + r_equality)) / (1 + std::sqrt(r_equality)));  // (6)
  k_silk_ = 1.6 * std::pow(b, 0.52) * std::pow(m, 0.73) * (1 + std::pow(10.4 * m, -0.95));               // (7)

  const double a1 = std::pow(46.9 * m, 0.670) * (1 + std::pow(32.1 * m, -0.532));  // (11)
  const double a2 = std::pow(12.0 * m, 0.424) * (1 + std::pow(45.0 * m, -0.582));
  alpha_c_ = std::pow(a1, -baryon_fraction_) * std::pow(a2, -cube(baryon_fraction_));
  const double c1 = 0.944 / (1 + std::pow(458 * m, -0.708));  // (12)
  const double c2 = std::pow(0.395 * m, -0.0266);
  beta_c_ = 1 / (1 + c1 * (std::pow(1 - baryon_fraction_, c2) - 1));

  const double y = z_equality / (1 + z_drag);
  const double root = std::sqrt(1 + y);
  const double g = y * (-6 * root + (2 + 3 * y) * std::log((root + 1) / (root - 1)));                  // (15)
  alpha_b_ = 2.07 * k_equality_ * sound_horizon_ * std::pow(1 + r_drag, -0.75) * g;                    // (14)
  beta_node_ = 8.41 * std::pow(m, 0.435);                                                              // (23)
  beta_b_ = 0.5 + baryon_fraction_ + (3 - 2 * baryon_fraction_) * std::sqrt(17.2 * m * 17.2 * m + 1);  // (24)
}

double EisensteinHu::operator()(double k) const {
  const double k_mpc = k * h_;
  if (!(k_mpc > 0)) return 1;
  const double q = k_mpc / (13.41 * k_equality_);  // (10)
  const double ks = k_mpc * sound_horizon_;
  const double f = 1 / (1 + std::pow(ks / 5.4, 4));  // (18)
  const double cold =
      f * pressureless_transfer(q, 1, beta_c_) + (1 - f) * pressureless_transfer(q, alpha_c_, beta_c_);  // (17)

  const double kst = ks / std::cbrt(1 + cube(beta_node_ / ks));  // (22)
  const double acoustic = pressureless_transfer(q, 1, 1) / (1 + ks / 5.2 * ks / 5.2) +
                          alpha_b_ / (1 + cube(beta_b_ / ks)) * std::exp(-std::pow(k_mpc / k_silk_, 1.4));
  const double baryons = acoustic * std::sin(kst) / kst;              // (21)
  return baryon_fraction_ * baryons + (1 - baryon_fraction_) * cold;  // (16)
}

}  // namespace multiwalk
