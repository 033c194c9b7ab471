// SPDX-License-Identifier: GPL-3.0-or-later
// Repeatable samples of particles that depend neither on their order nor on the ranks that hold them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

struct Sample {
  static constexpr std::uint64_t all = UINT64_MAX;
  std::uint64_t size = all;  ///< particles of all ranks; as many as there are, or more: all
  std::uint64_t seed = 1;
};

/// Indices (rising) of this rank's particles among those of the sample: the particles of all ranks with the lowest hash
/// of their ids. Needs little more memory than the result. Collective.
std::vector<std::uint32_t> sample_by_id(std::span<const std::uint64_t> id, const Sample& sample,
                                        const Communicator& comm = {});

}  // namespace multiwalk
