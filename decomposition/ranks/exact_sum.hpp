// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of real numbers that depend neither on their order nor on their distribution over threads and ranks.
#pragma once

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// A sum in 128-bit fixed point: every term is truncated to a multiple of 2^-72 (2e-22) and then added exactly. The
/// magnitude of the sum must stay below 2^55 (3.6e16).
class ExactSum {
 public:
  void add(double term) { units_ += static_cast<Units>(static_cast<__int128>(term * 0x1p72)); }
  ExactSum& operator+=(const ExactSum& other) {
    units_ += other.units_;
    return *this;
  }
  /// Over all ranks. Collective.
  [[nodiscard]] double total(const Communicator& comm) const;

 private:
  using Units = unsigned __int128;  ///< two's complement
  Units units_ = 0;
};

}  // namespace multiwalk
