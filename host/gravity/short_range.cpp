// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gravity/short_range.hpp"

#include <gsl/gsl_sf_gamma.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "host/base/gsl_check.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t terms = ShortRange::degree + 1;

/// The Boys function F_n(z) = int_0^1 s^2n exp(-z s^2) ds.
double boys_function(int n, double z) {
  if (z < 1e-8) return 1 / (2.0 * n + 1) - z / (2.0 * n + 3);
  const double half = n + 0.5;
  return gsl_sf_gamma(half) * gsl_sf_gamma_inc_P(half, z) / (2 * std::pow(z, half));
}

/// Monomials in y of the polynomial of `degree` through f at the Chebyshev points of [-1, 1].
template <class F>
void fit(const F& f, float (&coefficient)[terms], int degree = ShortRange::degree) {
  std::array<double, terms> chebyshev{};
  const auto points = static_cast<std::size_t>(degree) + 1;
  for (std::size_t j = 0; j < points; ++j) {
    const double angle = std::numbers::pi * (static_cast<double>(j) + 0.5) / static_cast<double>(points);
    const double value = f(std::cos(angle)) * 2 / static_cast<double>(points);
    for (std::size_t k = 0; k < points; ++k) chebyshev[k] += value * std::cos(static_cast<double>(k) * angle);
  }
  chebyshev[0] /= 2;
  std::array<double, terms> sum{}, before{}, now{};  // T_(k-1) and T_k in monomials
  before[0] = now[1] = 1;
  for (std::size_t m = 0; m < terms; ++m) sum[m] = chebyshev[0] * before[m] + chebyshev[1] * now[m];
  for (std::size_t k = 2; k < terms; ++k) {
    std::array<double, terms> next{};
    for (std::size_t m = 0; m < terms; ++m) next[m] = (m > 0 ? 2 * now[m - 1] : 0) - before[m];
    before = now;
    now = next;
    for (std::size_t m = 0; m < terms; ++m) sum[m] += chebyshev[k] * now[m];
  }
  for (std::size_t m = 0; m < terms; ++m) coefficient[m] = static_cast<float>(sum[m]);
}

}  // namespace

PairEnd pair_end(const ForceSplit& split) {
  if (split.cutoff == 0) return {};
  const double c = split.cutoff, x = c / (2 * split.scale), beyond = std::erfc(x);
  const double pull = beyond + 2 * x / std::sqrt(std::numbers::pi) * std::exp(-x * x);  // times c^2
  return {pull / (c * c * c), (beyond + pull / 2) / c};
}

double long_range_depth(const ForceSplit& split, double softening) {
  if (split.cutoff > 0 && softening >= split.cutoff) return 1 / softening;
  const double x = softening / (2 * split.scale);
  const double cloud = softening > 0 ? std::erf(x) / softening : 1 / (split.scale * std::sqrt(std::numbers::pi));
  const PairEnd end = pair_end(split);
  return cloud + end.level - end.slope * softening * softening / 2;
}

ShortRange::ShortRange(const ForceSplit& split, int expansion) {
  const double b = 1 / (4 * split.scale * split.scale), c = 1 / (split.scale * std::sqrt(std::numbers::pi));
  const double end = split.cutoff * split.cutoff;
  cutoff2 = static_cast<float>(end);
  rate = static_cast<float>(b);
  peak = static_cast<float>(c);
  stretch = static_cast<float>(2 / end);
  const PairEnd ends = pair_end(split);
  slope = static_cast<float>(ends.slope);
  level = static_cast<float>(ends.level);
  const auto derivative = [&](int n) {
    return [=](double y) { return c * std::pow(2 * b, n) * boys_function(n, b * 0.5 * (y + 1) * end); };
  };
  const double scales = split.cutoff / split.scale;
  first_degree = scales <= 5 ? 9 : scales <= 6.4 ? 11 : degree;
  fit([&](double y) { return derivative(1)(y) + ends.slope; }, first, first_degree);
  fit(derivative(3), third);
  fit([&](double y) { return boys_function(expansion, b * 0.5 * (y + 1) * end); }, boys);
}

}  // namespace multiwalk
