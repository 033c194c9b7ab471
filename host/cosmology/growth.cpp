// SPDX-License-Identifier: GPL-3.0-or-later
// Linear growth (Heath 1977; Linder & Jenkins 2003) and its second-order companion (Bouchet et al. 1995; Scoccimarro
// 1998), integrated in ln a:
//   L D1 = 0, L D2 = -S D1^2, with L D = D'' + (2 + dlnE/dlna) D' - S D and S = 3/2 Omega_m(a),
// and, from J div_x x'' = S (J - 1) and curl_x x'' = 0 in powers of the displacement (x'' stands for L x + S x),
//   L D3a = 2 S D1^3,   L D3b = 2 S D1 (D2 - D1^2),   L D3c + S D3c = -S D1^3.
#include "host/cosmology/growth.hpp"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <gsl/gsl_spline.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "host/base/error.hpp"
#include "host/base/gsl_check.hpp"
#include "host/text/plain_number.hpp"

namespace multiwalk {

namespace {

constexpr double first_a = 1e-8;
constexpr std::size_t table_points = 2001;

/// Values and derivatives by ln a of D1, D2, D3a, D3b, D3c in turn.
using State = std::array<double, 10>;
constexpr std::size_t higher_orders = 4;                        // all but D1
constexpr std::array<double, higher_orders> power{2, 3, 3, 3};  // powers of D1 that they accompany

int derivatives(double ln_a, const double y[], double dydx[], void* parameter) {
  const auto& expansion = *static_cast<const Expansion*>(parameter);
  const double a = std::exp(ln_a);
  const double friction = 2 + expansion.dlnefunc_dlna(a);
  const double source = 1.5 * expansion.omega_m(a);
  const double first = y[0], second = y[2], square = first * first, cube = square * first;
  const double driven[] = {first, second - square, y[4] + 2 * cube, y[6] + 2 * first * (second - square), -cube};
  for (std::size_t i = 0; i < std::size(driven); ++i) {
    dydx[2 * i] = y[2 * i + 1];
    dydx[2 * i + 1] = source * driven[i] - friction * y[2 * i + 1];
  }
  return GSL_SUCCESS;
}

/// Growing modes long before dark energy and curvature matter; Meszaros (1974) D1 = a + 2 a_eq / 3 with radiation.
State initial_state(const Expansion& expansion, double a) {
  if (expansion.omega_r() > 0) {
    return {a + 2.0 / 3.0 * expansion.omega_r() / expansion.parameters().omega_m, a};
  }
  if (std::fabs(expansion.omega_m(a) - 1) > 1e-3) {
    throw InputError("cosmology: there is no matter era (Omega_m(a = 1e-8) = " + text_of(expansion.omega_m(a)) +
                     "); w0 + wa must lie well below 0");
  }
  const double second = -3.0 / 7.0 * a * a, cube = a * a * a;
  return {
      a, a, second, 2 * second, cube / 3, cube, -10.0 / 21.0 * cube, -10.0 / 7.0 * cube, -cube / 7, -3.0 / 7 * cube};
}

class Spline {
 public:
  Spline(const std::vector<double>& x, const std::vector<double>& y)
      : spline_(gsl_spline_alloc(gsl_interp_cspline, x.size()), gsl_spline_free) {
    gsl_check(spline_.get(), "gsl_spline_alloc");
    gsl_check(gsl_spline_init(spline_.get(), x.data(), y.data(), x.size()), "gsl_spline_init");
  }
  [[nodiscard]] double operator()(double x) const {
    double y = 0;
    gsl_check(gsl_spline_eval_e(spline_.get(), x, nullptr, &y), "gsl_spline_eval_e");
    return y;
  }

 private:
  std::unique_ptr<gsl_spline, decltype(&gsl_spline_free)> spline_;
};

/// Columns of the solution, as slowly varying ratios.
struct Columns {
  std::vector<double> ln_a, growth_over_a, rate;
  std::array<std::vector<double>, higher_orders> ratio, higher_rate;

  void append(double x, const State& y) {
    ln_a.push_back(x);
    growth_over_a.push_back(y[0] / std::exp(x));
    rate.push_back(y[1] / y[0]);
    for (std::size_t i = 0; i < higher_orders; ++i) {
      const double value = y[2 * i + 2], derivative = y[2 * i + 3];
      ratio[i].push_back(value / std::pow(y[0], power[i]));
      higher_rate[i].push_back(value != 0 ? derivative / value : 0);
    }
  }
};

Columns solve(const Expansion& expansion, double last_a) {
  gsl_odeiv2_system system{derivatives, nullptr, State{}.size(), const_cast<Expansion*>(&expansion)};
  const std::unique_ptr<gsl_odeiv2_driver, decltype(&gsl_odeiv2_driver_free)> driver(
      gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_rk8pd, 1e-3, 0, 1e-12), gsl_odeiv2_driver_free);
  gsl_check(driver.get(), "gsl_odeiv2_driver_alloc_y_new");
  double ln_a = std::log(first_a);
  State y = initial_state(expansion, first_a);
  Columns columns;
  columns.append(ln_a, y);
  for (std::size_t i = 1; i < table_points; ++i) {
    const double fraction = static_cast<double>(i) / (table_points - 1);
    const double next = std::log(first_a) * (1 - fraction) + std::log(last_a) * fraction;
    gsl_check(gsl_odeiv2_driver_apply(driver.get(), &ln_a, next, y.data()), "gsl_odeiv2_driver_apply");
    columns.append(ln_a, y);
  }
  return columns;
}

}  // namespace

struct Growth::Table {
  explicit Table(const Columns& c) : growth_over_a(c.ln_a, c.growth_over_a), rate(c.ln_a, c.rate) {
    for (std::size_t i = 0; i < higher_orders; ++i) {
      ratio.emplace_back(c.ln_a, c.ratio[i]);
      higher_rate.emplace_back(c.ln_a, c.higher_rate[i]);
    }
  }

  Spline growth_over_a, rate;
  std::vector<Spline> ratio, higher_rate;  ///< (higher_orders)
};

Growth::Growth(const Expansion& expansion, double latest) {
  const double last_a = std::max(1.0, latest);
  expansion.require_expansion(last_a);
  // A natural spline is inaccurate at its ends, so the table extends beyond what is asked for.
  table_ = std::make_unique<Table>(solve(expansion, Expansion::margin * last_a));
}
Growth::~Growth() = default;
Growth::Growth(Growth&&) noexcept = default;
Growth& Growth::operator=(Growth&&) noexcept = default;

double Growth::factor(double a) const {
  return a * table_->growth_over_a(std::log(a));
}
double Growth::rate(double a) const {
  return table_->rate(std::log(a));
}
double Growth::second_factor(double a) const {
  return table_->ratio[0](std::log(a)) * factor(a) * factor(a);
}
double Growth::second_rate(double a) const {
  return table_->higher_rate[0](std::log(a));
}
double Growth::third_factor(Third term, double a) const {
  return table_->ratio[static_cast<std::size_t>(term) + 1](std::log(a)) * std::pow(factor(a), 3);
}
double Growth::third_rate(Third term, double a) const {
  return table_->higher_rate[static_cast<std::size_t>(term) + 1](std::log(a));
}

}  // namespace multiwalk
