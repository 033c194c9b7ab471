// SPDX-License-Identifier: GPL-3.0-or-later
// The load that the parameters ask for.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "ic/models/model.hpp"

namespace multiwalk {

/// The sphere of a model in its realisation. Throws SharedError unless the radius is positive.
LoadedRegion sphere_region(const ModelOptions& model);

/// A glass is made from `seed` first; `progress` reports how far it is. Throws SharedError that names the key of an
/// impossible value. Collective.
Load make_load(const IcOptions& ic, const LoadedRegion& region, std::uint64_t seed, const ModelProgress& progress,
               const Communicator& comm = {});

/// Particles of a load over grid^3.
inline int particles_per_cell(LoadKind load) {
  return load == LoadKind::bcc ? 2 : 1;
}

/// Copies of the glass per side: the given number, or the smallest one that leaves it at most 32 particles per side.
/// Throws SharedError unless it then has 8 to 64 per side.
std::uint32_t glass_tiles(const IcOptions& ic);

}  // namespace multiwalk
