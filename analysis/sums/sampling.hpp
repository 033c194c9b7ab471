// SPDX-License-Identifier: GPL-3.0-or-later
// Repeatable samples of particles that depend neither on their order nor on the ranks that hold them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// Indices (rising) of this rank's particles among the `sample` particles of all ranks with the lowest hash of their
/// ids; all particles if `sample` is 0 or too large. Needs no memory except for the result. Collective.
std::vector<std::uint32_t> sample_by_id(std::span<const std::uint64_t> id, std::uint64_t sample, std::uint64_t seed,
                                        const Communicator& comm = {});

}  // namespace multiwalk
