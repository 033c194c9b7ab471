// Where undisplaced particles sit: sites of the realisation's lattice. (A glass would be another list of sites.)
#pragma once

#include <cstdint>

#include "decomposition/communicator.hpp"
#include "host/base/vec3.hpp"
#include "host/particles/particle_memory.hpp"

namespace multiwalk {

/// Sites (i, j, k) box_size / cells, 0 <= i, j, k < cells, of a cubic lattice; those kept in this rank's pencil
/// (decomposition/pencil_grid.hpp: a range of i and of j, any k), by rising index (i cells + j) cells + k.
struct LatticeLoad {
  std::uint32_t cells = 0;  ///< a side
  double box_size = 0;      ///< Mpc/h
  Vec3d origin;             ///< Mpc/h; subtracted from every position
  ParticleArray<std::uint64_t> site;

  [[nodiscard]] double spacing() const { return box_size / cells; }
  /// Lattice indices of a site.
  [[nodiscard]] Vec3<std::uint32_t> indices(std::uint64_t s) const {
    return {static_cast<std::uint32_t>(s / cells / cells), static_cast<std::uint32_t>(s / cells % cells),
            static_cast<std::uint32_t>(s % cells)};
  }
  /// Position relative to the origin.
  [[nodiscard]] Vec3d position(std::uint64_t s) const { return Vec3d(indices(s)) * spacing() - origin; }
};

/// Every site of the box. Throws SharedError if it cannot be. Collective.
LatticeLoad full_lattice(std::uint32_t cells, double box_size, const Communicator& comm = {});

/// The sites less than `radius` from the box's centre, which becomes the origin. Throws SharedError unless the sphere
/// fits into the box and holds a site. Collective.
LatticeLoad lattice_sphere(std::uint32_t cells, double box_size, double radius, const Communicator& comm = {});

}  // namespace multiwalk
