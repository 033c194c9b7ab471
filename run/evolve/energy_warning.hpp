// SPDX-License-Identifier: GPL-3.0-or-later
// What to say when a run loses its energy.
#pragma once

#include <string>

#include "run/records/run_record.hpp"

namespace multiwalk {

/// A sentence if `error` (of the energy, relative to what `scale` names) is beyond `worrying`, which then becomes three
/// times the error: what the next warning is due at. Else empty. `before`: the step before. `advice` ends it: what to
/// choose instead.
std::string energy_warning(double error, double& worrying, const StepRecord& before, const char* scale,
                           const std::string& advice);

}  // namespace multiwalk
