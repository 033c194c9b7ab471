// SPDX-License-Identifier: GPL-3.0-or-later
// GSL's errors as exceptions: the handler is switched off once and every status is checked.
#include "host/base/gsl_check.hpp"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>

#include <memory>
#include <string>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

const bool handler_is_off = [] {
  gsl_set_error_handler_off();
  return true;
}();

constexpr std::size_t max_intervals = 2000;

double call_function(double x, void* f) {
  return (*static_cast<const std::function<double(double)>*>(f))(x);
}

}  // namespace

void gsl_check(int status, const char* call, const std::source_location& where) {
  if (status != GSL_SUCCESS) [[unlikely]]  // splines ask at every value: no text is made for success
    throw Error(std::string(call) + ": " + gsl_strerror(status), where);
}

void gsl_check(const void* allocated, const char* call, const std::source_location& where) {
  if (allocated == nullptr) [[unlikely]]
    throw Error(std::string(call) + ": out of memory", where);
}

double integrate(const std::function<double(double)>& f, double a, double b, double relative_error) {
  if (a == b) return 0;
  const std::unique_ptr<gsl_integration_workspace, decltype(&gsl_integration_workspace_free)> workspace(
      gsl_integration_workspace_alloc(max_intervals), gsl_integration_workspace_free);
  gsl_check(workspace.get(), "gsl_integration_workspace_alloc");
  const gsl_function function{call_function, const_cast<std::function<double(double)>*>(&f)};
  double result = 0;
  double error = 0;
  gsl_check(gsl_integration_qag(&function, a, b, 0, relative_error, max_intervals, GSL_INTEG_GAUSS31, workspace.get(),
                                &result, &error),
            "gsl_integration_qag");
  return result;
}

}  // namespace multiwalk
