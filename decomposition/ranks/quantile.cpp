// SPDX-License-Identifier: GPL-3.0-or-later
// Bisection on the bits of the result: 64 counts.
#include "decomposition/ranks/quantile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

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
  const auto wanted = std::min(count - 1, static_cast<std::uint64_t>(fraction * static_cast<double>(count)));
  std::uint64_t answer = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const std::uint64_t trial = answer | std::uint64_t{1} << bit;
    std::uint64_t below = 0;
#pragma omp parallel for schedule(static) reduction(+ : below)
    for (std::size_t i = 0; i < values.size(); ++i) below += ordered_bits(values[i]) < trial ? 1 : 0;
    if (comm.sum(below) <= wanted) answer = trial;
  }
  return value_of(answer);
}

}  // namespace multiwalk
