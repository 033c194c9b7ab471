// SPDX-License-Identifier: GPL-3.0-or-later
// What to say when a run loses its energy.
#pragma once

#include <span>
#include <string>

namespace multiwalk {

/// A sentence if `error` (of the energy, relative to its first value) is the first beyond `worrying`, or beyond three
/// times what was warned of last; else empty. `before`: the errors before it, the last of which was measured at `time`.
/// `advice` ends it: what to choose instead.
std::string energy_warning(double error, double worrying, std::span<const double> before, double time,
                           const std::string& advice);

}  // namespace multiwalk
