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
  DomainGrid grid{0, 0, 0};           ///< zeros: the former one, or chosen from the extent
  double max_memory_imbalance = 1.3;  ///< most particles of a rank / mean
  double smoothing = 0.5;             ///< part of the way from the former cuts to the new; 1: all of it
  std::uint64_t sample = 1 << 17;     ///< most particles that a rank looks at
};

/// New cuts into `boxes` boxes for `work` (any unit, >= 0; all zero: by number) at `position`, the same on every rank
/// and for any message timing: histograms of integers decide. Where no rank has more than options.sample particles the
/// cuts do not depend on their distribution over ranks. The memory limit holds for what the sample tells, as far as the
/// grain of single particles lets it. `former`: the cuts of the last step, or null; cuts are smoothed towards former
/// ones of the same grid unless that costs balance. Coincident particles stay together whatever the balance. Positions
/// that are not finite are left out. Collective. Throws SharedError if grid does not multiply to `boxes` (the number of
/// ranks, save for a plan).
DomainMap multisection(const Communicator& comm, int boxes, std::span<const Vec3d> position,
                       std::span<const float> work, const MultisectionOptions& options, const DomainMap* former);

}  // namespace multiwalk
