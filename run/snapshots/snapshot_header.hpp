// SPDX-License-Identifier: GPL-3.0-or-later
// What a snapshot file says about itself, in any of the layouts that are read, turned into internal units.
#pragma once

#include <cstdint>
#include <string>

#include "run/hdf5/hdf5_file.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

/// Numbers by which a file's values are multiplied to get internal units (base/units.hpp), and the header itself.
struct SnapshotHeader {
  SnapshotInfo info;
  std::uint64_t particles_here = 0;  ///< in this file; info.particles is the whole set
  double particle_mass = 0;          ///< internal; 0: dataset Masses
  double length = 1;
  double velocity = 1;  ///< to canonical momentum p = a v_pec
  double mass = 1;
  bool has_potential = false;  ///< ours; other codes' potentials are not read
  Vec3d origin;                ///< internal; subtracted from positions
};

/// Comoving volume that the particles fill: a periodic box or a sphere of known radius; 0 if unknown.
double filled_volume(const ParticleSystem& system);

/// The largest relative difference between the number of `particles` in a sphere cut from a lattice and the number
/// expected from its volume; 0 for a box.
double cut_scatter(const ParticleSystem& system, std::uint64_t particles);

/// Reads and checks /Header and what belongs to it, and compares the counts with the datasets. The cosmology is
/// `unsaid` where the file does not state it. Throws InputError naming the file and what is missing or wrong.
SnapshotHeader read_snapshot_header(const hdf5::File& file, const CosmologyParameters& unsaid = {});

}  // namespace multiwalk
