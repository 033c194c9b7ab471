// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/ranks/exact_sum.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace multiwalk {

double ExactSum::total(const Communicator& comm) const {
  // Quarters of 32 bits: their sums over up to 2^32 ranks fit into 64 bits.
  std::array<std::uint64_t, 4> quarter{};
  for (std::size_t q = 0; q < 4; ++q) quarter[q] = static_cast<std::uint32_t>(units_ >> (32 * q));
  comm.sum(std::span<std::uint64_t>(quarter));
  Units all = 0;
  for (std::size_t q = 0; q < 4; ++q) all += static_cast<Units>(quarter[q]) << (32 * q);
  return static_cast<double>(static_cast<__int128>(all)) * 0x1p-72;
}

}  // namespace multiwalk
