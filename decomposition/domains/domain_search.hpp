// SPDX-License-Identifier: GPL-3.0-or-later
// Which ranks own a part of a region.
#pragma once

#include <vector>

#include "decomposition/domains/domain_map.hpp"
#include "host/base/box.hpp"

namespace multiwalk {

/// The ranks, rising, whose domains `region` meets; with a period > 0 those whose part of [0, period)^3 any image of it
/// meets. `ranks` is replaced.
void find_ranks_meeting(const DomainMap& domains, const Box& region, double period, std::vector<int>& ranks);

}  // namespace multiwalk
