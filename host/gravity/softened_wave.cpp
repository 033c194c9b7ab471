// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gravity/softened_wave.hpp"

#include <gsl/gsl_sf_expint.h>

#include <array>
#include <cmath>
#include <numbers>

namespace multiwalk {

namespace {

/// Trapezoids in ln v: the error falls as exp(-pi^2/step), since exp(-v) decays for |Im ln v| < pi/2.
class LogTrapezoids {
 public:
  LogTrapezoids() {
    for (std::size_t i = 0; i < points; ++i) {
      v[i] = std::exp(lowest + step * static_cast<double>(i));
      weight[i] = step * v[i] * std::exp(-v[i]);
    }
  }

  static constexpr std::size_t points = 120;
  std::array<double, points> v{}, weight{};

 private:
  static constexpr double step = 0.3, lowest = -32;  // to 3.7: exp(-40)
};

}  // namespace

double softened_wave(double x, double y) {
  static const LogTrapezoids integral;
  if (y == 0) return 1;
  double sum = 0;
  for (std::size_t i = 0; i < LogTrapezoids::points; ++i) {
    sum += integral.weight[i] * std::exp(-y / (4 * (x + integral.v[i])));
  }
  return sum;
}

double softened_pair_volume(double alpha, double softening) {
  constexpr double far_beyond = 600;
  const double u2 = alpha * alpha * softening * softening, all = std::numbers::pi / (alpha * alpha);
  if (u2 == 0) return all;
  return u2 < far_beyond ? all * (std::exp(-u2) - u2 * gsl_sf_expint_E1(u2)) : 0;
}

}  // namespace multiwalk
