// SPDX-License-Identifier: GPL-3.0-or-later
// Counts and times of an exchange of essential trees.
#pragma once

#include <cstdint>

namespace multiwalk {

/// The exchange of one evaluation, on this rank.
struct EssentialStatistics {
  std::uint64_t nodes_sent = 0, particles_sent = 0, bytes_sent = 0;
  std::uint64_t nodes_received = 0, particles_received = 0, bytes_received = 0;
  std::uint64_t cells_shared = 0;  ///< with other ranks
  std::uint64_t ranks_near = 0;    ///< ranks that sent a tree
  std::uint64_t ranks_far = 0;     ///< ranks whose root is enough
  std::uint64_t ranks_beyond = 0;  ///< ranks from which nothing is needed
  double in_flight = 0;            ///< seconds from the first message to the last arrival
  double waited = 0;               ///< the part of it in which this rank did nothing else

  /// Fraction of the communication time hidden by work.
  [[nodiscard]] double hidden() const { return in_flight > 0 ? 1 - waited / in_flight : 0; }
};

}  // namespace multiwalk
