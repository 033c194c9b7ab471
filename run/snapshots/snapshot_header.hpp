// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of a snapshot's header, in any of the layouts that are read, turned into internal units.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/formats/file_units.hpp"
#include "run/formats/species.hpp"
#include "run/snapshots/snapshot.hpp"
#include "run/snapshots/snapshot_file.hpp"

namespace multiwalk {

/// Numbers by which a file's values are multiplied to get internal units (base/units.hpp), and the header itself.
struct SnapshotHeader {
  SnapshotInfo info;
  std::vector<Species> species;  ///< in the order of types; info.particles is the whole set
  double length = 1;
  double velocity = 1;  ///< to canonical momentum p = a v_pec
  double mass = 1;
  GadgetUnits units;           ///< of a comoving file
  bool has_potential = false;  ///< ours; other codes' potentials are not read
  Vec3d origin;                ///< internal; subtracted from positions

  /// Takes the units as those of the file.
  void set_units(const GadgetUnits& of_file) {
    units = of_file;
    length = exact_length(units.length) / units::cm_per_mpc;
    mass = units.mass / units::gram_per_1e10_msun;
    velocity = units.velocity / units::cm_per_km;
  }
  [[nodiscard]] std::uint64_t particles_here() const { return multiwalk::particles_here(species); }
  /// Total mass, internal; 0 if particles have masses of their own.
  [[nodiscard]] double total_mass() const;
  /// Mass of every particle, internal; 0 if they are not known to be equal.
  [[nodiscard]] double common_mass() const;
};

/// Throws InputError unless the headers of two files may belong to one set. `path`: of the other.
void expect_same_set(const SnapshotHeader& first, const SnapshotHeader& other, const std::string& path);

/// Comoving volume that the particles fill: a periodic box or a sphere of known radius; 0 if unknown.
double filled_volume(const ParticleSystem& system);

/// The largest relative difference between the number of `particles` in a sphere cut from a lattice and the number
/// expected from its volume; 0 for a box.
double cut_scatter(const ParticleSystem& system, std::uint64_t particles);

/// Reads and checks the header and what belongs to it, and compares the counts with the datasets. What the file does
/// not state is taken from `unsaid`. Throws InputError naming the file and what is missing or wrong.
SnapshotHeader read_snapshot_header(const SnapshotFile& file, const Unsaid& unsaid = {});

/// As read_snapshot_header, for each kind of file.
SnapshotHeader read_hdf5_header(const hdf5::File& file, const Unsaid& unsaid);
SnapshotHeader read_gadget_header(const GadgetFile& file, const Unsaid& unsaid);

/// Units of a file that states none, or InputError with the setting to add: the units for which the density agrees with
/// omega_m, if it is known. `density`: mass per volume in the file's units, 0 if unknown. `head`: file and what it
/// lacks.
GadgetUnits units_as_said(const Unsaid& unsaid, const CosmologyParameters& cosmology, double density,
                          const std::string& head);

}  // namespace multiwalk
