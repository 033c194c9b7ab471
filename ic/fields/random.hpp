// SPDX-License-Identifier: GPL-3.0-or-later
// Counter-based random numbers (Philox4x64-10, Salmon et al. 2011): a draw depends only on what it is for.
#pragma once

#include <array>
#include <cstdint>

namespace multiwalk {

/// The modes of a Gaussian field: our own, or those that N-GenIC or GADGET-4 make from the same seed.
enum class ModeSource { philox, ngenic, gadget4 };
/// The largest seed for the modes of N-GenIC and GADGET-4: GSL's generators would truncate a larger one.
inline constexpr std::uint64_t largest_table_seed = 0x7fffffff;

using RandomWords = std::array<std::uint64_t, 4>;

/// One stream for each purpose, so that no purpose sees another's numbers.
namespace random_stream {
inline constexpr std::uint64_t modes = 0, plummer = 1, uniform_sphere = 2, jitter = 3, glass = 4, kepler_disc = 5,
                               galaxy = 6;
}

/// Four random words of `counter` under the key {seed, stream}.
RandomWords philox(const RandomWords& counter, std::uint64_t seed, std::uint64_t stream = random_stream::modes);

/// (0, 1]
inline double uniform_open_below(std::uint64_t word) {
  return static_cast<double>((word >> 11) + 1) * 0x1p-53;
}
/// [0, 1)
inline double uniform_open_above(std::uint64_t word) {
  return static_cast<double>(word >> 11) * 0x1p-53;
}

}  // namespace multiwalk
