// SPDX-License-Identifier: GPL-3.0-or-later
// rungs.csv: the particles on each rung at the beginning of each block of steps.
#pragma once

#include <string>

#include "run/report/report.hpp"

namespace multiwalk {

/// A heading, then a line per block: step, a and z (isolated runs: time) at its end, substeps, evaluations of the force
/// on one particle, and particles on rung 0, 1, ... when it began. Empty if the run had no blocks.
std::string rung_table(const RunRecord& record);

}  // namespace multiwalk
