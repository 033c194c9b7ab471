// SPDX-License-Identifier: GPL-3.0-or-later
// A simulation with trees as an evolution: steps or blocks of steps, measured force errors and interactions, and the
// search for the fastest sizes of groups and leaves.
#pragma once

#include <memory>

#include "run/driver/evolution.hpp"
#include "run/records/progress.hpp"
#include "run/setup/run_setup.hpp"

namespace multiwalk {

/// Takes particles, back end and the state of a checkpoint from `setup`; `parameters`: its own, where they outlive the
/// evolution; `record`: that of the checkpoint. Collective.
std::unique_ptr<Evolution> make_tree_evolution(RunSetup& setup, const Parameters& parameters, const RunRecord& record,
                                               const Communicator& comm, Progress& progress);

}  // namespace multiwalk
