// SPDX-License-Identifier: GPL-3.0-or-later
// The user's choices for tree forces.
#pragma once

#include <cstdint>

#include "host/tree/acceptance.hpp"

namespace multiwalk {

enum class MultipoleOrder { monopole, quadrupole };

struct GravityOptions : OpeningCriterion {
  MultipoleOrder multipole = MultipoleOrder::quadrupole;
  std::uint32_t group_size = 0;  ///< maximum particles in a group; 0: the back end's choice
  std::uint32_t leaf_size = 16;
  int expansion = 0;  ///< order of the local expansions by which far cells act on groups; 0: none

  /// The largest number of particles that share a walk; `preferred`: the number that suits the back end.
  [[nodiscard]] std::uint32_t most_in_group(std::uint32_t preferred) const {
    if (walks_singly()) return 1;
    return group_size > 0 ? group_size : preferred;
  }
  /// Cells of at most this many particles are always opened, which is exact and costs no more than their multipole.
  [[nodiscard]] MULTIWALK_HOST_DEVICE std::uint32_t always_opened() const {
    return multipole == MultipoleOrder::monopole ? 1 : 2;
  }
};

}  // namespace multiwalk
