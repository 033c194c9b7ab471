// SPDX-License-Identifier: GPL-3.0-or-later
// Positions of particles before they are displaced: a cubic lattice, a body-centred one (two interleaved cubic ones),
// or copies of a glass.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "decomposition/ranks/communicator.hpp"
#include "host/base/particle_memory.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

enum class LoadKind { grid, bcc, glass };

/// The particles in this rank's pencil of the realisation's mesh (decomposition/mesh/pencil_grid.hpp: a range of cells
/// along x and along y, any along z), by rising number. Those of a lattice are its sites: number ((l cells + i) cells +
/// j) cells + k, position (i + l/2, j + l/2, k + l/2) box_size / cells, where l = 1 is the second of two interleaved
/// lattices.
struct Load {
  std::uint32_t cells = 0;  ///< of the mesh, per side
  double box_size = 0;      ///< Mpc/h
  Vec3d origin;             ///< Mpc/h; subtracted from every position
  ParticleArray<std::uint64_t> site;
  int lattices = 1;            ///< 2: body-centred
  ParticleArray<Vec3d> point;  ///< glass only: Mpc/h from the corner of the box

  [[nodiscard]] double cell() const { return box_size / cells; }
  /// Mean interparticle spacing.
  [[nodiscard]] double spacing() const { return lattices == 1 ? cell() : cell() / std::cbrt(lattices); }
  [[nodiscard]] std::uint64_t sites_of_lattice() const { return std::uint64_t{cells} * cells * cells; }
  /// Lattice indices of a site.
  [[nodiscard]] Vec3<std::uint32_t> indices(std::uint64_t s) const {
    return {static_cast<std::uint32_t>(s / cells / cells % cells), static_cast<std::uint32_t>(s / cells % cells),
            static_cast<std::uint32_t>(s % cells)};
  }
  /// Position of a site relative to the origin.
  [[nodiscard]] Vec3d site_position(std::uint64_t s) const {
    return site_position(s < sites_of_lattice() ? 0 : 1, indices(s));
  }
  [[nodiscard]] Vec3d site_position(std::uint64_t lattice, const Vec3<std::uint32_t>& at) const {
    const double shift = lattice == 0 ? 0 : 0.5;
    return (Vec3d(at) + Vec3d{shift, shift, shift}) * cell() - origin;
  }
  /// Position of this rank's particle p relative to the origin.
  [[nodiscard]] Vec3d position(std::size_t p) const {
    return point.empty() ? site_position(site[p]) : point[p] - origin;
  }
};

/// The part of the box that is loaded: all of it, or the particles less than `radius` from its centre, which becomes
/// the origin.
struct LoadedRegion {
  double box_size = 0;  ///< Mpc/h
  double radius = 0;    ///< Mpc/h; 0: the whole box
};

/// One lattice of cells^3 sites, or two. Throws SharedError that names what is impossible, and if a sphere does not fit
/// into the box or contains no particle. Collective.
Load lattice_load(std::uint32_t cells, const LoadedRegion& region, int lattices = 1, const Communicator& comm = {});

/// tiles^3 copies of the glass `tile`, points of the unit cube in [0, 1), which every rank has; a particle's number is
/// its copy's (x tiles + y) tiles + z times the number of points, plus its own. Throws like lattice_load. Collective.
Load glass_load(std::uint32_t cells, const LoadedRegion& region, std::span<const Vec3d> tile, std::uint32_t tiles,
                const Communicator& comm = {});

}  // namespace multiwalk
