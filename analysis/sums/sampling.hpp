// SPDX-License-Identifier: GPL-3.0-or-later
// Repeatable samples of particles that depend neither on their order nor on the ranks that hold them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

struct Sample {
  std::uint64_t size = 0;  ///< particles of all ranks; 0, or more than there are: all
  std::uint64_t seed = 1;
};

/// Indices (rising) of this rank's particles among those of the sample: the particles of all ranks with the lowest hash
/// of their ids. Needs no memory except for the result. Collective.
std::vector<std::uint32_t> sample_by_id(std::span<const std::uint64_t> id, const Sample& sample,
                                        const Communicator& comm = {});

}  // namespace multiwalk
