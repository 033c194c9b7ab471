// SPDX-License-Identifier: GPL-3.0-or-later
// Measurements that a tree run makes of itself: the error of its forces, and the interactions that it needed.
#pragma once

#include "run/evolve/simulation.hpp"
#include "run/parameters/parameters.hpp"
#include "run/records/measuring_progress.hpp"
#include "run/records/run_record.hpp"

namespace multiwalk {

/// Compares a sample of all ranks' forces with direct sums and appends to the record's errors, on every rank, with the
/// seconds that this took. Collective.
void sample_force_error(const Simulation& simulation, const Sample& sample, RunRecord& record,
                        const MeasuringListener& listener = {});

/// Counts effective interactions on the present particles of all ranks; `raw_pairs`: those of all ranks' evaluation on
/// them. One tree and one set of direct sums are used for both counts. On one rank the particles are put in key order.
/// The seconds go into the record. Collective.
void take_census(Simulation& simulation, const Parameters& parameters, std::uint64_t raw_pairs, RunRecord& record,
                 const MeasuringListener& listener = {});

}  // namespace multiwalk
