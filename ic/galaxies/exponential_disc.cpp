// SPDX-License-Identifier: GPL-3.0-or-later
#include "ic/galaxies/exponential_disc.hpp"

#include <gsl/gsl_sf_bessel.h>
#include <gsl/gsl_sf_lambert.h>

#include <cmath>
#include <numbers>

namespace multiwalk {

namespace {

/// Products of modified Bessel functions, whose exponential factors cancel.
struct BesselProducts {
  double i0k0, i1k1, i1k0, i0k1;

  explicit BesselProducts(double y) {
    const double i0 = gsl_sf_bessel_I0_scaled(y), i1 = gsl_sf_bessel_I1_scaled(y);
    const double k0 = gsl_sf_bessel_K0_scaled(y), k1 = gsl_sf_bessel_K1_scaled(y);
    i0k0 = i0 * k0;
    i1k1 = i1 * k1;
    i1k0 = i1 * k0;
    i0k1 = i0 * k1;
  }
};

}  // namespace

double ExponentialDisc::surface_density(double cylinder) const {
  return mass / (2 * std::numbers::pi * radius * radius) * std::exp(-cylinder / radius);
}

double ExponentialDisc::enclosed(double r) const {
  const double x = r / radius;
  return x < 1e-4 ? mass * x * x * (0.5 - x / 3) : mass * (-std::expm1(-x) - x * std::exp(-x));
}

double ExponentialDisc::spread_density(double r) const {
  return surface_density(r) / (2 * r);
}

double ExponentialDisc::radius_of(double fraction) const {
  // (1 + x) e^-x = 1 - fraction
  return radius * (-1 - gsl_sf_lambert_Wm1((fraction - 1) / std::numbers::e));
}

double ExponentialDisc::speed2(double cylinder) const {
  const double y = cylinder / (2 * radius);
  const BesselProducts bessel(y);
  return 2 * mass / radius * y * y * (bessel.i0k0 - bessel.i1k1);
}

double ExponentialDisc::speed2_change(double cylinder) const {
  const double y = cylinder / (2 * radius);
  const BesselProducts bessel(y);
  return 4 * mass / radius * y * y * (bessel.i0k0 + y * (bessel.i1k0 - bessel.i0k1));
}

}  // namespace multiwalk
