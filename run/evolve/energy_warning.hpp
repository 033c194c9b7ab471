// SPDX-License-Identifier: GPL-3.0-or-later
// The warning when the energy of a run changes too much.
#pragma once

#include <string>

#include "run/records/run_record.hpp"

namespace multiwalk {

/// A warning if `error` (of the energy, relative to what `scale` names) exceeds `worrying`, otherwise empty. `worrying`
/// then becomes three times the error, so that the next warning comes there. `before`: the previous step. `advice`:
/// what to choose instead, as the end of the sentence.
std::string energy_warning(double error, double& worrying, const StepRecord& before, const char* scale,
                           const std::string& advice);

}  // namespace multiwalk
