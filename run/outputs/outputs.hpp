// SPDX-License-Identifier: GPL-3.0-or-later
// What is written and measured at an output time: snapshot, images, halos, power spectrum, force error; and the
// interaction census.
#pragma once

#include <optional>
#include <string>

#include "analysis/halos/halo_finder.hpp"
#include "run/evolve/simulation.hpp"
#include "run/parameters/parameters.hpp"
#include "run/records/measuring_progress.hpp"
#include "run/records/run_record.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

/// What every snapshot tells of the run's parameters and of this program; `softening` comoving, internal length,
/// without its physical cap.
SnapshotOptions snapshot_options(const Parameters& parameters, double softening);

/// The parameters with the mesh and the walks that force.accuracy chose for a periodic box in place of those given.
Parameters parameters_as_used(const Simulation& simulation, const Parameters& given);

/// Compares a sample of all ranks' forces with direct sums and appends to the record's errors, on every rank, with the
/// seconds that took. Collective.
void sample_force_error(const Simulation& simulation, const Parameters& parameters, RunRecord& record,
                        const MeasuringListener& listener = {});

/// The halos if output.halos asks for them. Collective.
std::optional<HaloCatalogue> seek_halos(const Simulation& simulation, const Parameters& parameters);

/// Writes snapshot_NNN, image_NNN, power_NNN of a periodic box and, of `halos` if there are any, fof_subhalo_tab_NNN
/// and images of the largest into run.directory, as asked for, and appends to the record's outputs, on every rank. With
/// halos the snapshot is in their order. Collective. Throws SharedError if one cannot be written.
void write_output(const Simulation& simulation, const Parameters& parameters, const std::optional<HaloCatalogue>& halos,
                  RunRecord& record);

/// Counts effective interactions on the present particles of all ranks; `raw_pairs`: of all ranks' evaluation on them.
/// One tree and one set of direct sums serve both counts. One rank's particles are put in key order. Seconds go into
/// the record. Collective.
void take_census(Simulation& simulation, const Parameters& parameters, std::uint64_t raw_pairs, RunRecord& record,
                 const MeasuringListener& listener = {});

}  // namespace multiwalk
