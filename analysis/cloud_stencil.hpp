// The triangular-shaped cloud (Hockney & Eastwood 1988) along one axis: a quadratic B-spline three cells wide.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace multiwalk {

/// Cells that a cloud touches and its shares there. What would lie outside goes to the cell at the edge.
struct CloudStencil {
  std::int64_t cell[3];
  double weight[3];
};

/// `place` in cells from the lower edge, of `cells` cells.
inline CloudStencil cloud_stencil(double place, std::int64_t cells) {
  const double floor = std::floor(place), d = place - floor - 0.5;
  CloudStencil stencil{{}, {0.5 * (0.5 - d) * (0.5 - d), 0.75 - d * d, 0.5 * (0.5 + d) * (0.5 + d)}};
  for (int i = 0; i < 3; ++i) {
    stencil.cell[i] = std::clamp<std::int64_t>(static_cast<std::int64_t>(floor) + i - 1, 0, cells - 1);
  }
  return stencil;
}

}  // namespace multiwalk
