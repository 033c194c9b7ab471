// SPDX-License-Identifier: GPL-3.0-or-later
// Gauss-Legendre quadrature of fixed order (GSL), for many integrals of smooth functions.
#pragma once

#include <gsl/gsl_integration.h>

#include <memory>

#include "host/base/gsl_check.hpp"

namespace multiwalk {

class Quadrature {
 public:
  /// Throws Error if GSL cannot allocate the `order` points.
  explicit Quadrature(std::size_t order)
      : table_(gsl_integration_glfixed_table_alloc(order), gsl_integration_glfixed_table_free), order_(order) {
    gsl_check(table_.get(), "gsl_integration_glfixed_table_alloc");
  }

  /// int_a^b f(x) dx; f is not evaluated at the ends.
  template <class F>
  [[nodiscard]] double operator()(double a, double b, const F& f) const {
    double sum = 0;
    for_each(a, b, [&](double x, double weight) { sum += weight * f(x); });
    return sum;
  }

  /// Calls act(x, weight) for the points of the integral from a to b.
  template <class Act>
  void for_each(double a, double b, const Act& act) const {
    for (std::size_t i = 0; i < order_; ++i) {
      double x = 0;
      double weight = 0;
      gsl_check(gsl_integration_glfixed_point(a, b, i, &x, &weight, table_.get()), "gsl_integration_glfixed_point");
      act(x, weight);
    }
  }

 private:
  std::unique_ptr<gsl_integration_glfixed_table, decltype(&gsl_integration_glfixed_table_free)> table_;
  std::size_t order_;
};

}  // namespace multiwalk
