// What is written and measured at an output time: snapshot, image, force error; and the interaction census.
#pragma once

#include <optional>
#include <string>

#include "analysis/halo_finder.hpp"
#include "run/parameters.hpp"
#include "run/report.hpp"
#include "run/simulation.hpp"
#include "run/snapshot.hpp"

namespace multiwalk {

/// What every snapshot tells of the run's parameters and of this program; `softening` comoving, internal length,
/// without its physical cap.
SnapshotOptions snapshot_options(const Parameters& parameters, double softening);

/// Compares a sample of all ranks' forces with direct sums and appends to the record's errors, on every rank.
/// Collective.
void sample_force_error(const Simulation& simulation, const Parameters& parameters, RunRecord& record);

/// The halos if output.halos asks for them. Collective.
std::optional<HaloCatalogue> seek_halos(const Simulation& simulation, const Parameters& parameters);

/// Writes snapshot_NNN, image_NNN and, of `halos` if there are any, fof_subhalo_tab_NNN into run.directory and appends
/// to the record's outputs, on every rank. With halos the snapshot is in their order. Collective. Throws SharedError if
/// one cannot be written.
void write_output(const Simulation& simulation, const Parameters& parameters, const std::optional<HaloCatalogue>& halos,
                  RunRecord& record);

/// Image of the system as the reports show it: a slab through a sphere's middle, or the inner 95 % of an isolated
/// system. PNG bytes on rank 0, none elsewhere; the same for any number of ranks. Collective.
std::vector<std::uint8_t> draw_system(const ParticleSystem& system, std::uint32_t pixels, int axis,
                                      const Communicator& comm = {});

/// Counts effective interactions on the present particles of all ranks; `raw_pairs`: of all ranks' evaluation on them.
/// One tree and one set of direct sums serve both counts. Collective.
void take_census(const Simulation& simulation, const Parameters& parameters, std::uint64_t raw_pairs,
                 RunRecord& record);

}  // namespace multiwalk
