// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/mesh/missed_pairs.hpp"

#include <cmath>
#include <numbers>

#include "host/base/quadrature.hpp"

namespace multiwalk {

using std::numbers::inv_sqrtpi;

namespace {

double sinc(double x) {
  return x == 0 ? 1 : std::sin(x) / x;
}

/// Transform of a uniform sphere of radius 1 and mass 1: 3 j1(x)/x.
double sphere(double x) {
  return x < 1e-2 ? 1 - x * x / 10 + x * x * x * x / 280 : 3 * (std::sin(x) - x * std::cos(x)) / (x * x * x);
}

}  // namespace

MissedPairs::MissedPairs(const ForceSplit& split, double softening) {
  if (split.cutoff == 0) return;
  const double c = split.cutoff / split.scale, eps = softening / split.scale;
  inner_ = c > eps ? std::sqrt(c * c - eps * eps) : 0;
  sphere_ = pair_end({1, c}).slope * inner_ * inner_ * inner_;
  const double end = std::sqrt(inner_ * inner_ + 100);  // exp(-25) of the start
  std::size_t n = 0;
  Quadrature(points).for_each(inner_, end, [&](double r, double weight) {
    const double R2 = r * r + eps * eps, R = std::sqrt(R2), gauss = inv_sqrtpi * std::exp(-R2 / 4);
    const double pull = std::erfc(R / 2) + R * gauss;
    place_[n] = r;
    growth_[n++] = weight * r * r * (3 * eps * eps * pull / (R2 * R2 * R) - r * r / R2 * gauss / 2);
  });
}

double MissedPairs::operator()(double q) const {
  double sum = sphere_ * sphere(q * inner_);
  for (std::size_t i = 0; i < points; ++i) sum += growth_[i] * sinc(q * place_[i]);
  return sum;
}

}  // namespace multiwalk
