// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks that own parts of a region.
#pragma once

#include <vector>

#include "decomposition/domains/domain_map.hpp"
#include "host/base/box.hpp"

namespace multiwalk {

/// The ranks, rising, whose domains overlap `region`; with a period > 0, those whose part of [0, period)^3 overlaps any
/// image of it. `ranks` is replaced.
void find_ranks_meeting(const DomainMap& domains, const Box& region, double period, std::vector<int>& ranks);

}  // namespace multiwalk
