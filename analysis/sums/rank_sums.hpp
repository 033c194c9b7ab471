// SPDX-License-Identifier: GPL-3.0-or-later
// Sums whose targets are on one rank and whose sources are on all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// Every rank's values in rank order, on every rank. Collective.
template <class T>
std::vector<T> gather_on_all(const Communicator& comm, std::span<const T> values) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<T> copies;
  copies.reserve(ranks * values.size());
  for (std::size_t r = 0; r < ranks; ++r) copies.insert(copies.end(), values.begin(), values.end());
  const std::vector<std::uint64_t> counts(ranks, values.size());
  return comm.exchange(std::span<const T>(copies), std::span<const std::uint64_t>(counts)).data;
}

/// (targets.size()) For each of this rank's targets, the sum over all ranks, in rank order, of what add_parts gave
/// there: add_parts(std::span<const Target>, std::span<Sum>) adds its rank's share to the sums of any rank's targets.
/// Targets travel 65536 at a time, or one per rank, so any number is allowed. Collective.
template <class Sum, class Target, class AddParts>
std::vector<Sum> sums_over_ranks(const Communicator& comm, std::span<const Target> targets, AddParts add_parts) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  const std::size_t share = std::max<std::size_t>(65536 / ranks, 1);
  const auto rounds = comm.max(static_cast<std::uint64_t>((targets.size() + share - 1) / share));
  std::vector<Sum> sums(targets.size());
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const std::size_t first = std::min<std::size_t>(round * share, targets.size());
    const std::span<const Target> mine = targets.subspan(first, std::min(share, targets.size() - first));
    const std::vector<Target> all = gather_on_all(comm, mine);
    std::vector<Sum> parts(all.size());
    add_parts(std::span<const Target>(all), std::span<Sum>(parts));
    const std::vector<std::uint64_t> counts = comm.all_gather(static_cast<std::uint64_t>(mine.size()));
    const std::vector<Sum> received =
        comm.exchange(std::span<const Sum>(parts), std::span<const std::uint64_t>(counts)).data;
    for (std::size_t i = 0; i < received.size(); ++i) sums[first + i % mine.size()] += received[i];
  }
  return sums;
}

}  // namespace multiwalk
