// SPDX-License-Identifier: GPL-3.0-or-later
// Forces in a periodic box: from one accuracy setting to mesh, split, cut-off and walks.
#pragma once

#include <cstdint>
#include <memory>

#include "decomposition/mesh/mesh_force.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/force/force_backend.hpp"
#include "host/force/long_range.hpp"
#include "host/particles/particle_system.hpp"
#include "host/tree/gravity_options.hpp"
#include "run/parameters/sections/force.hpp"

namespace multiwalk {

/// In ln a: in longer blocks the power of growing structure would be off by more than 1e-3.
inline constexpr double longest_block = 0.03;
/// Longest rms displacement of particles in a block, in scales of the force split: the mesh's impulses act at its ends.
inline constexpr double block_displacement = 0.25;

/// The forces that the parameters choose for one box.
struct BoxForces {
  MeshForceOptions mesh;
  ForceSplit split;
  GravityOptions walks;
};

/// For `particles` in a box of this side; `walks` sets the options that the accuracy leaves open. The mesh is fine
/// enough for the cut-off to fit the box. Throws InputError for a cut-off that cannot.
BoxForces resolve_box_forces(const BoxForceParameters& parameters, const GravityOptions& walks, std::uint64_t particles,
                             double box_size);

/// A mesh is computed on the back end's device if possible. The back end must outlive it.
std::unique_ptr<LongRangeForce> make_long_range(const BoxForces& forces, ForceBackend& backend,
                                                const Communicator& comm = {});

/// True if the tree gives only the short range of this system's forces: in a box, unless the back end sums over all
/// pairs.
bool splits_forces(const SystemFacts& system, const ForceBackend& backend);

}  // namespace multiwalk
