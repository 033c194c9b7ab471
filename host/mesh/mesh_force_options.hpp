// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh of the long-range force, on the host or a device.
#pragma once

#include <cstdint>

#include "host/mesh/mass_assignment.hpp"

namespace multiwalk {

/// Error of the mesh force of a pair divided by G m/r^2, by rs in cells: the rms over orientations at the worst
/// distance (2 to 4 rs), and the maximum at any distance. Far below rs and beyond 6 rs it is at least ten times
/// smaller.
///
///   rs                       1.25             1.5              2
///   TSC              1.6e-3 / 4e-3    9e-4 / 2e-3     3.3e-4 / 9e-4
///   TSC interlaced   1.8e-4 / 4e-4    1.1e-4 / 3e-4   4.2e-5 / 1.2e-4
///   PCS              2.9e-4 / 7e-4    1.2e-4 / 3e-4   3.3e-5 / 9e-5
///   PCS interlaced   1.3e-5 / 4e-5    5.8e-6 / 2e-5   1.8e-6 / 5e-6
struct MeshForceOptions {
  std::uint32_t cells = 0;  ///< per side
  double split_scale = 0;   ///< rs, unit of box_size
  Assignment assignment = Assignment::pcs;
  /// Uses two meshes shifted by half a cell, for both density and force: twice the work, fewer images.
  bool interlacing = false;
  double pair_cutoff = 0;  ///< of the pairs; the mesh adds what they miss (missed_pairs.hpp); 0: nothing
  double softening = 0;    ///< of the pairs, Plummer's
  std::uint64_t in_flight = std::uint64_t{1} << 22;  ///< clouds that a rank sends or receives at once
};

}  // namespace multiwalk
