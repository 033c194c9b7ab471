// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies under a direct integrator as an evolution. A row of its record covers the steps between two diagnostics.
#pragma once

#include <memory>

#include "run/driver/evolution.hpp"
#include "run/records/progress.hpp"
#include "run/setup/run_setup.hpp"

namespace multiwalk {

/// Takes bodies, back end and the state of a checkpoint from `setup`; `parameters`: its own, where they outlive the
/// evolution; `record`: that of the checkpoint. The bodies of a rank stay there; sources go round the ring of ranks
/// (decomposition/ring/ring_forces.hpp). Collective.
std::unique_ptr<Evolution> make_direct_evolution(RunSetup& setup, const Parameters& parameters, const RunRecord& record,
                                                 const Communicator& comm, Progress& progress);

}  // namespace multiwalk
