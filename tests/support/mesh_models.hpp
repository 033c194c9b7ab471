// SPDX-License-Identifier: GPL-3.0-or-later
// Walks over the parts of a mesh that a rank holds, and a field in which every cell has a value of its own.
#pragma once

#include <cstdint>

#include "decomposition/mesh/pencil_mesh.hpp"
#include "ic/fields/random.hpp"

namespace multiwalk::test_models {

/// In (-0.5, 0.5), by lattice place.
inline double hashed_value(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return uniform_open_below(philox({x, y, z, 0}, 77)[0]) - 0.5;
}

/// Calls act(x, y, z) for this rank's values.
template <class Act>
void for_each_value(const PencilMesh& mesh, Act act) {
  const Pencil& mine = mesh.pencil();
  for (std::uint32_t x = mine.value_x.first; x < mine.value_x.end(); ++x) {
    for (std::uint32_t y = mine.value_y.first; y < mine.value_y.end(); ++y) {
      for (std::uint32_t z = 0; z < mesh.cells(); ++z) act(x, y, z);
    }
  }
}

/// Sets every value of this rank's to value(x, y, z).
template <class Value>
void set_values(PencilMesh& mesh, Value value) {
  for_each_value(mesh, [&](auto x, auto y, auto z) { mesh.value(x, y, z) = value(x, y, z); });
}

/// Holds the modes of the hashed values.
inline PencilMesh hashed_modes(const Communicator& comm, std::uint32_t cells) {
  PencilMesh mesh(comm, cells);
  set_values(mesh, hashed_value);
  mesh.to_modes();
  return mesh;
}

/// Calls act(x, y, z) for this rank's modes.
template <class Act>
void for_each_mode_place(const PencilMesh& mesh, Act act) {
  const Pencil& mine = mesh.pencil();
  for (std::uint32_t x = 0; x < mesh.cells(); ++x) {
    for (std::uint32_t y = mine.mode_y.first; y < mine.mode_y.end(); ++y) {
      for (std::uint32_t z = mine.mode_z.first; z < mine.mode_z.end(); ++z) act(x, y, z);
    }
  }
}

}  // namespace multiwalk::test_models
