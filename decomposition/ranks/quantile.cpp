// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/ranks/quantile.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "decomposition/ranks/rank_select.hpp"

namespace multiwalk {

namespace {

/// Rises with the value.
std::uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63;
}

double value_of(std::uint64_t ordered) {
  return std::bit_cast<double>(ordered >> 63 != 0 ? ordered & ~(std::uint64_t{1} << 63) : ~ordered);
}

}  // namespace

double quantile(const Communicator& comm, std::span<const double> values, double fraction) {
  const std::uint64_t count = comm.sum(static_cast<std::uint64_t>(values.size()));
  if (count == 0) return 0;
  const auto place = std::min(count - 1, static_cast<std::uint64_t>(fraction * static_cast<double>(count)));
  const auto key_of = [&](std::size_t i) { return ordered_bits(values[i]); };
  return value_of(select_over_ranks(comm, values.size(), key_of, place).key);
}

}  // namespace multiwalk
