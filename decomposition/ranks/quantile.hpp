// SPDX-License-Identifier: GPL-3.0-or-later
// Order statistics over all ranks.
#pragma once

#include <span>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// The value that `fraction` of all ranks' values do not exceed (exact, the same for any distribution over ranks): the
/// k-th smallest with k = fraction x count, rounded down, from 0; 0 if there are no values. Collective.
double quantile(const Communicator& comm, std::span<const double> values, double fraction);

}  // namespace multiwalk
