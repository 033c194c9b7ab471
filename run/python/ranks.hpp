// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks that work together, and text shown through Python.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <string>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// One rank alone unless Python gave a communicator.
struct Ranks {
  Communicator comm;
};

void bind_ranks(nanobind::module_& module);

/// Calls a Python function with a text, from any thread, which need not hold the interpreter's lock; empty for
/// None. An exception from the function is dropped, except Ctrl-C, which is raised again when the caller returns.
std::function<void(const std::string&)> say_from(const nanobind::object& function);

}  // namespace multiwalk
