// SPDX-License-Identifier: GPL-3.0-or-later
// Orthogonal multisection (Makino 2004): slabs along x, columns along y, boxes along z, one box per rank, with the same
// cost in each.
#pragma once

#include <cstdint>
#include <span>

#include "decomposition/domains/domain_map.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

struct MultisectionOptions {
  DomainGrid grid{0, 0, 0};           ///< zeros: as before, or chosen from the extent
  double max_memory_imbalance = 1.3;  ///< maximum particles of a rank / mean
  double smoothing = 0.5;             ///< fraction of the way from the former cuts to the new; 1: all of it
  std::uint64_t sample = 1 << 17;     ///< maximum particles that a rank samples
};

/// New cuts into `boxes` boxes for `work` (any unit, >= 0; all zero: by number) at `position`. They are the same on
/// every rank and do not depend on timing, since histograms of integers decide; if no rank has more than options.sample
/// particles, they do not depend on the distribution over ranks either. The memory limit holds for the sample, up to
/// the graininess of single particles. `former`: the cuts of the last step, or null; cuts are smoothed towards former
/// ones of the same grid unless that costs balance. Coincident particles stay together whatever the balance. Positions
/// that are not finite are ignored. Collective. Throws SharedError if the grid does not multiply to `boxes` (the number
/// of ranks, except in a plan).
DomainMap multisection(const Communicator& comm, int boxes, std::span<const Vec3d> position,
                       std::span<const float> work, const MultisectionOptions& options, const DomainMap* former);

}  // namespace multiwalk
