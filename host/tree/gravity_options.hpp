// SPDX-License-Identifier: GPL-3.0-or-later
// What a user may choose about forces.
#pragma once

#include <cstdint>

namespace multiwalk {

enum class MultipoleOrder { monopole, quadrupole };

/// Multipole acceptance criteria; s is the cell's side, d the distance to its centre of mass (see tree/acceptance.hpp).
enum class Mac {
  bh86,      ///< Barnes & Hut (1986): s < theta d, one list per particle
  barnes90,  ///< Barnes (1990): s < theta dmin, dmin from the group's tight box
  offset,    ///< s/theta + |centre of mass - cell centre| < dmin (Bonsai, Bedorf et al. 2012)
  relative   ///< G M s^2/dmin^4 < alpha |a_old|, smallest |a_old| in the group (Springel 2005), and s < dmin
};

struct GravityOptions {
  Mac mac = Mac::barnes90;
  double theta = 0.6;
  double alpha = 0.005;  ///< relative MAC only
  MultipoleOrder multipole = MultipoleOrder::quadrupole;
  std::uint32_t group_size = 0;  ///< maximum particles in a group; 0: the back end's choice
  std::uint32_t leaf_size = 16;
};

}  // namespace multiwalk
