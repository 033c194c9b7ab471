// SPDX-License-Identifier: GPL-3.0-or-later
// A bijective hash of 64-bit numbers: the finaliser of SplitMix64 (Steele, Lea & Flood 2014).
#pragma once

#include <cstdint>

namespace multiwalk {

inline std::uint64_t mix_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace multiwalk
