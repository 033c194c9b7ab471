// SPDX-License-Identifier: GPL-3.0-or-later
// multiwalk._multiwalk: what the Python package is made of. Its classes and functions are for the package; users call
// those of run/python/multiwalk.
#include "run/python/module.hpp"

#include <nanobind/stl/string.h>

#include "host/base/error.hpp"
#include "run/machine/version.hpp"

namespace nb = nanobind;

NB_MODULE(_multiwalk, module) {  // NOLINT(clang-diagnostic-reserved-identifier)
  using namespace multiwalk;
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    throw nb::import_error("multiwalk works in the main interpreter only, not in subinterpreters");
  }
  nb::set_leak_warnings(false);  // a simulation may live until the interpreter ends
  module.doc() = "The compiled part of multiwalk";
  module.attr("version") = MULTIWALK_VERSION;
  [[maybe_unused]] const nb::exception<Error> error(module, "Error", PyExc_RuntimeError);
  [[maybe_unused]] const nb::exception<InputError> input_error(module, "InputError", PyExc_ValueError);
  module.def(
      "build_text", [] { return version_text(); }, "Version, commit, compilers and libraries of this build");
  bind_forces(module);
  bind_parameters(module);
  bind_particles(module);
  bind_simulation(module);
}
