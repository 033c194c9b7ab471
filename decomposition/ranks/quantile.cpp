// SPDX-License-Identifier: GPL-3.0-or-later
// Radix selection: four counts of 16 bits each fix the bits of the result.
#include "decomposition/ranks/quantile.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace multiwalk {

namespace {

constexpr int digit_bits = 16;
constexpr std::uint64_t digit_mask = (std::uint64_t{1} << digit_bits) - 1;

/// Rises with the value.
std::uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63;
}

double value_of(std::uint64_t ordered) {
  return std::bit_cast<double>(ordered >> 63 != 0 ? ordered & ~(std::uint64_t{1} << 63) : ~ordered);
}

/// How many of the values whose bits above the digit at `shift` are `prefix` have each value of that digit.
std::vector<std::uint64_t> count_digits(std::span<const double> values, std::uint64_t prefix, int shift) {
  std::vector<std::uint64_t> count(digit_mask + 1, 0);
#pragma omp parallel
  {
    std::vector<std::uint64_t> own(count.size(), 0);
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint64_t digits = ordered_bits(values[i]) >> shift;
      if (digits >> digit_bits == prefix) ++own[digits & digit_mask];
    }
#pragma omp critical
    for (std::size_t digit = 0; digit < count.size(); ++digit) count[digit] += own[digit];
  }
  return count;
}

}  // namespace

double quantile(const Communicator& comm, std::span<const double> values, double fraction) {
  const std::uint64_t all = comm.sum(static_cast<std::uint64_t>(values.size()));
  if (all == 0) return 0;
  auto before = std::min(all - 1, static_cast<std::uint64_t>(fraction * static_cast<double>(all)));
  std::uint64_t answer = 0;
  for (int shift = 64 - digit_bits; shift >= 0; shift -= digit_bits) {
    std::vector<std::uint64_t> count = count_digits(values, answer, shift);
    comm.sum(std::span<std::uint64_t>(count));
    std::uint64_t digit = 0;
    while (before >= count[digit]) before -= count[digit++];
    answer = answer << digit_bits | digit;
  }
  return value_of(answer);
}

}  // namespace multiwalk
