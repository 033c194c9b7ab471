// SPDX-License-Identifier: GPL-3.0-or-later
// GSL's errors as exceptions, and its adaptive quadrature behind one call.
#pragma once

#include <functional>
#include <source_location>

namespace multiwalk {

/// Throws Error with GSL's text if `status` is not GSL_SUCCESS. Linking this file disables GSL's aborting handler.
void gsl_check(int status, const char* call, const std::source_location& where = std::source_location::current());

/// Throws Error if a GSL allocation returned null.
void gsl_check(const void* allocated, const char* call,
               const std::source_location& where = std::source_location::current());

/// int_a^b f(x) dx by adaptive Gauss-Kronrod quadrature (QUADPACK's QAG); b < a changes the sign. Throws Error if
/// `relative_error` is not reached. `f` must not throw.
double integrate(const std::function<double(double)>& f, double a, double b, double relative_error = 1e-11);

}  // namespace multiwalk
