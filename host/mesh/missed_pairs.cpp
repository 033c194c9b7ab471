// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/mesh/missed_pairs.hpp"

#include <cmath>
#include <numbers>

#include "host/base/quadrature.hpp"

namespace multiwalk {

using std::numbers::pi;

namespace {

constexpr double damped_beyond = 2;  // q at which the damping is 1/e
constexpr double last_q2 = 25;       // there the damped correction is below 1e-7 of the filter

constexpr std::size_t points = 64;

double sinc(double x) {
  return x == 0 ? 1 : std::sin(x) / x;
}

/// Transform of a uniform sphere of radius 1 and mass 1: 3 j1(x)/x.
double sphere(double x) {
  return x < 1e-2 ? 1 - x * x / 10 + x * x * x * x / 280 : 3 * (std::sin(x) - x * std::cos(x)) / (x * x * x);
}

/// S(c).
double pull_at(double cutoff) {
  return pair_end({1, cutoff}).slope * cutoff * cutoff * cutoff;
}

/// int_c^inf r^2/(2 sqrt(pi)) exp(-r^2/4) f(r) dr.
template <class F>
double integrate_beyond(double cutoff, const Quadrature& quadrature, const F& f) {
  const double end = std::sqrt(cutoff * cutoff + 100);  // exp(-25) of the start
  return quadrature(cutoff, end, [&](double r) { return r * r * std::exp(-r * r / 4) / 2 / std::sqrt(pi) * f(r); });
}

double missed_share(double q, double cutoff, const Quadrature& quadrature) {
  return pull_at(cutoff) * sphere(q * cutoff) -
         integrate_beyond(cutoff, quadrature, [&](double r) { return sinc(q * r); });
}

}  // namespace

double missed_share(double q, double cutoff) {
  return missed_share(q, cutoff, Quadrature(points));
}

double missed_curvature(double cutoff) {
  return integrate_beyond(cutoff, Quadrature(points), [](double r) { return r * r / 6; }) -
         pull_at(cutoff) * cutoff * cutoff / 10;
}

MissedPairs::MissedPairs(const ForceSplit& split, double box_size) : value_(TableOfSquares::size, 1.0F) {
  const double q = 2 * pi * split.scale / box_size;  // of n = 1
  places_ = static_cast<float>((TableOfSquares::size - 1) * q * q / last_q2);
  if (split.cutoff == 0) return;
  const Quadrature quadrature(points);
  for (int i = 0; i + 1 < TableOfSquares::size; ++i) {
    const double q2 = last_q2 * i / (TableOfSquares::size - 1), x2 = q2 / (damped_beyond * damped_beyond);
    value_[i] += static_cast<float>(std::exp(q2 - x2 * x2) *
                                    missed_share(std::sqrt(q2), split.cutoff / split.scale, quadrature));
  }
}

}  // namespace multiwalk
