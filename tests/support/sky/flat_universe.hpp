// SPDX-License-Identifier: GPL-3.0-or-later
// A flat universe of matter and a cosmological constant, by sums of its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace multiwalk::test {

/// The integral of f from `from` to `to` by the midpoint rule.
template <class F>
double midpoint_sum(double from, double to, int intervals, F f) {
  const double step = (to - from) / intervals;
  double sum = 0;
  for (int i = 0; i < intervals; ++i) sum += f(from + (i + 0.5) * step);
  return sum * step;
}

struct FlatUniverse {
  double omega_m = 1;
  static constexpr double light_over_hubble = 2997.92458;  ///< c / H0, Mpc/h

  /// H / H0.
  [[nodiscard]] double expansion(double a) const { return std::sqrt(omega_m / (a * a * a) + 1 - omega_m); }
  /// Comoving distance, Mpc/h.
  [[nodiscard]] double distance(double a) const {
    return midpoint_sum(std::log(a), 0, 1000, [&](double ln_a) {
      const double x = std::exp(ln_a);
      return light_over_hubble / (x * expansion(x));
    });
  }
  /// The expansion factor at which light leaves from a distance.
  [[nodiscard]] double departure(double distance_now) const {
    double low = 0.01, high = 1;
    while (high - low > 1e-10) {
      const double middle = (low + high) / 2;
      (distance(middle) > distance_now ? low : high) = middle;
    }
    return (low + high) / 2;
  }
  /// Growth of linear perturbations, 1 today (Heath 1977).
  [[nodiscard]] double growth(double a) const { return growing(a) / growing(1); }

 private:
  [[nodiscard]] double growing(double a) const {
    return expansion(a) * midpoint_sum(0, a, 4000, [&](double x) { return std::pow(x * expansion(x), -3); });
  }
};

/// departure() and growth() of many distances, between which they are interpolated.
class LightTable {
 public:
  LightTable(const FlatUniverse& universe, double far) : step_(far / points) {
    for (int i = 0; i <= points; ++i) {
      a_.push_back(universe.departure(i * step_));
      growth_.push_back(universe.growth(a_.back()));
    }
  }
  [[nodiscard]] double a(double distance) const { return at(a_, distance); }
  [[nodiscard]] double growth(double distance) const { return at(growth_, distance); }

 private:
  static constexpr int points = 400;

  [[nodiscard]] double at(const std::vector<double>& values, double distance) const {
    const auto i = std::min<std::size_t>(static_cast<std::size_t>(distance / step_), points - 1);
    const double part = distance / step_ - static_cast<double>(i);
    return (1 - part) * values[i] + part * values[i + 1];
  }

  double step_;
  std::vector<double> a_, growth_;
};

}  // namespace multiwalk::test
