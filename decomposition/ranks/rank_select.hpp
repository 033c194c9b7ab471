// SPDX-License-Identifier: GPL-3.0-or-later
// Order statistics of 64-bit keys over all ranks, without moving the keys.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

struct Selected {
  std::uint64_t key = 0;
  std::uint64_t below = 0;  ///< keys of all ranks that are lower
};

/// The `place`-th lowest, from 0, of all ranks' keys; those of this rank are key_of(0) to key_of(n - 1). There must be
/// more than `place` in total. Found digit by digit from eight sums of counts; the same on every rank. Collective.
template <class KeyOf>
Selected select_over_ranks(const Communicator& comm, std::size_t n, KeyOf key_of, std::uint64_t place) {
  constexpr int digit_bits = 8;
  constexpr std::size_t digits = std::size_t{1} << digit_bits;
  Selected found;
  std::uint64_t settled = 0;  // mask of the digits known so far
  for (int shift = 64 - digit_bits; shift >= 0; shift -= digit_bits) {
    std::array<std::uint64_t, digits> count{};
    std::uint64_t* const counts = count.data();
#pragma omp parallel for schedule(static) reduction(+ : counts[:digits])
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t key = key_of(i);
      if ((key & settled) == found.key) ++counts[(key >> shift) % digits];
    }
    comm.sum(std::span<std::uint64_t>(count));
    std::size_t digit = 0;
    while (digit + 1 < digits && found.below + count[digit] <= place) found.below += count[digit++];
    found.key |= std::uint64_t{digit} << shift;
    settled |= std::uint64_t{digits - 1} << shift;
  }
  return found;
}

}  // namespace multiwalk
