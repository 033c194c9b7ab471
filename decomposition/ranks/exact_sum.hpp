// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of real numbers that depend neither on their order nor on their distribution over threads and ranks.
#pragma once

#include <bit>
#include <cstdint>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// A sum in 128-bit fixed point: every term is truncated to a multiple of 2^-72 (2e-22) and then added exactly. The
/// magnitude of the sum must stay below 2^55 (3.6e16).
class ExactSum {
 public:
  void add(double term) { units_ += truncated(term * 0x1p72); }
  ExactSum& operator+=(const ExactSum& other) {
    units_ += other.units_;
    return *this;
  }
  /// Over all ranks. Collective.
  [[nodiscard]] double total(const Communicator& comm) const;

 private:
  using Units = unsigned __int128;  ///< two's complement

  /// The whole number next to x towards zero, as a cast gives it, without the call that compilers make of one; |x| <
  /// 2^127.
  static Units truncated(double x) {
    constexpr int digits = 52, bias = 1023;
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const int exponent = static_cast<int>(bits >> digits & 0x7ff) - bias - digits;
    const std::uint64_t leading = std::uint64_t{1} << digits, mantissa = (bits & (leading - 1)) | leading;
    const Units size = exponent >= 0 ? static_cast<Units>(mantissa) << (exponent & 127)
                                     : static_cast<Units>(exponent > -64 ? mantissa >> -exponent : 0);
    const Units sign = Units{0} - (bits >> 63);  // all bits of a negative number's
    return (size ^ sign) - sign;
  }

  Units units_ = 0;
};

}  // namespace multiwalk
