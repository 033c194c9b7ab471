// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of a tree whose particles have drifted since it was grown.
#pragma once

#include <cstdint>

#include "host/base/box.hpp"
#include "host/tree/sfc_key.hpp"

namespace multiwalk {

/// (nodes), in device memory. Null: the particles are where they were.
struct MovedCells {
  const std::uint64_t* key = nullptr;  ///< of the cell
  float* spill = nullptr;              ///< how far particles of the node lie beyond the faces of its cell

  /// Side of the cube about the cell of node `n` that holds the node's particles.
  [[nodiscard]] __device__ double side(const Cube& cube, std::uint32_t n, int level) const {
    const double side = cube.side / static_cast<double>(std::uint64_t{1} << level);
    return spill == nullptr ? side : side + 2 * static_cast<double>(spill[n]);
  }
};

}  // namespace multiwalk
