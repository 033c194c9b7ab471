// Halo catalogues: a table for any program, and HDF5 in GADGET-4's layout (kpc/h, 1e10 Msun/h, km/s).
#pragma once

#include <span>
#include <string>

#include "analysis/halo.hpp"
#include "run/snapshot.hpp"

namespace multiwalk {

/// One line of column names with their units, then one per halo, all digits: positions and radii comoving Mpc/h, about
/// the origin in vacuum; masses Msun/h; velocities peculiar km/s.
std::string halo_table(std::span<const Halo> halos);

/// What a catalogue tells of its snapshot.
struct CatalogueHeader {
  double time = 1, box_size = 0;  ///< expansion factor; Mpc/h
  Vec3d origin;                   ///< added to positions so that they lie in [0, box_size)
  CosmologyParameters cosmology;
};

/// Of a snapshot whose header `info` is. Throws InputError if the file cannot be read.
CatalogueHeader catalogue_header(const std::string& snapshot, const SnapshotInfo& info);

/// Header, an empty Subhalo, and Group: GroupPos, GroupMass, GroupLen, Group_M_Crit200, ... Positions and radii are
/// comoving, GroupVel is a times the peculiar velocity GroupVelPeculiar, TopHat200 is the virial sphere of Bryan &
/// Norman (1998), GroupId the smallest id of a member. There are no offsets: the snapshot is not sorted by group.
/// Replaces `path` when all is written. Throws Error.
void write_halo_file(const std::string& path, std::span<const Halo> halos, const CatalogueHeader& header);

}  // namespace multiwalk
