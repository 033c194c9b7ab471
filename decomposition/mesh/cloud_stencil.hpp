// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of a bounded mesh that a triangular-shaped cloud touches.
#pragma once

#include <algorithm>
#include <cstdint>

#include "host/mesh/mass_assignment.hpp"

namespace multiwalk {

/// Cells that a triangular-shaped cloud touches and its shares there. Shares beyond the edge go to the cell at the
/// edge.
struct CloudStencil {
  std::int64_t cell[3];
  double weight[3];
};

/// `place`: in cells from the lower edge, on a mesh of `cells` cells.
inline CloudStencil cloud_stencil(double place, std::int64_t cells) {
  const CloudShares<3> shares = cloud_shares<3>(place - 0.5);
  CloudStencil stencil{};
  for (int i = 0; i < 3; ++i) {
    stencil.cell[i] = std::clamp<std::int64_t>(shares.first + i, 0, cells - 1);
    stencil.weight[i] = shares.weight[i];
  }
  return stencil;
}

}  // namespace multiwalk
