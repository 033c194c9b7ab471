// SPDX-License-Identifier: GPL-3.0-or-later
// Any sum over pairs. An interaction defines a target, a source and a sum, and how one pair adds to a sum; the loops
// around it (host/direct/pair_sum.hpp for SIMD, device/direct/pair_sum.cuh for CUDA) know nothing else.
#pragma once

#include <concepts>
#include <cstddef>

#include "host/base/host_device.hpp"

namespace multiwalk {

/// Target<T>, Source<T> and Sum<T> contain only members of type T, which is float, double or a SIMD vector of them.
/// pair(target, source, sum) adds the source's part to the target's sum; constants are members of the interaction.
template <class Interaction>
concept PairInteraction = requires(const Interaction& pair, const typename Interaction::template Target<float>& target,
                                   const typename Interaction::template Source<float>& source,
                                   typename Interaction::template Sum<float>& sum) {
  {pair(target, source, sum)};
};

/// Numbers in a record of an interaction.
template <class Record, class T>
inline constexpr std::size_t record_values = sizeof(Record) / sizeof(T);

}  // namespace multiwalk
