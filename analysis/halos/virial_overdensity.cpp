// SPDX-License-Identifier: GPL-3.0-or-later
// A sphere with the mass of a comoving sphere of radius 1 has, in units of 1/H0, (dr/dt)^2 = Omega_m/r + Omega_L r^2 -
// k; r is largest at the turn-around radius R. With r = R sin^2(u) it collapses at
//   t = 4 int_0^(pi/2) R^(3/2) sin^2(u) / sqrt(Omega_m - Omega_L R^3 sin^2(u) (1 + sin^2(u))) du,
// to y R, where 2 eta y^3 - (2 + eta) y + 1 = 0 and eta = 2 Omega_L R^3/Omega_m.
#include "analysis/halos/virial_overdensity.hpp"

#include <cmath>
#include <numbers>

#include "host/base/error.hpp"
#include "host/base/quadrature.hpp"

namespace multiwalk {

namespace {

using std::numbers::pi;

struct Universe {
  double omega_m, omega_lambda;
};

/// Without radiation, which the sphere does not feel.
double age(const Universe& u, double a) {
  const Quadrature integral(64);
  const double k = 1 - u.omega_m - u.omega_lambda;
  return integral(0, std::sqrt(a), [&](double root) {
    const double b = root * root;
    return 2 * b / std::sqrt(u.omega_m + k * b + u.omega_lambda * b * b * b);
  });
}

double collapse_time(const Universe& u, double turn) {
  const Quadrature integral(64);
  const double cube = turn * turn * turn;
  return 4 * std::sqrt(cube) * integral(0, pi / 2, [&](double angle) {
           const double s = std::sin(angle) * std::sin(angle);
           return s / std::sqrt(u.omega_m - u.omega_lambda * cube * s * (1 + s));
         });
}

/// Where `rising` is 0, between low and high.
template <class F>
double root_of(double low, double high, const F& rising) {
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (rising(middle) > 0 ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

/// The density over today's critical one of what collapses at a.
double collapsed_density(const Universe& u, double a) {
  const double time = age(u, a);
  // Larger spheres than the largest never turn round; without a constant, none collapses as late as this one.
  const double largest =
      u.omega_lambda > 0 ? std::cbrt(u.omega_m / (2 * u.omega_lambda)) : 10 * std::cbrt(u.omega_m * time * time);
  const double turn = root_of(0, largest * (1 - 1e-12), [&](double radius) { return collapse_time(u, radius) - time; });
  const double eta = 2 * u.omega_lambda * turn * turn * turn / u.omega_m;
  const double y = root_of(0, 0.7, [&](double x) { return (2 + eta) * x - 1 - 2 * eta * x * x * x; });
  return u.omega_m / std::pow(y * turn, 3);
}

}  // namespace

bool has_virial_overdensity(const CosmologyParameters& p) {
  return is_flat(p) || p.omega_lambda == 0 || (p.w0 == -1 && p.wa == 0);
}

double virial_overdensity(const Expansion& expansion, double a) {
  const CosmologyParameters& p = expansion.parameters();
  const double x = expansion.omega_m(a) - 1;
  if (is_flat(p)) return 18 * pi * pi + 82 * x - 39 * x * x;
  if (p.omega_lambda == 0 && x < 0) return 18 * pi * pi + 60 * x - 32 * x * x;
  if (!has_virial_overdensity(p)) {
    throw InputError("virial masses of halos are not known for a curved universe with dark energy of w0 = " +
                     std::to_string(p.w0) + ", wa = " + std::to_string(p.wa));
  }
  const double e = expansion.efunc(a);
  return collapsed_density({p.omega_m, p.omega_lambda}, a) / (e * e);
}

}  // namespace multiwalk
