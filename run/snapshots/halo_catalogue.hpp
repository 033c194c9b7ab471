// SPDX-License-Identifier: GPL-3.0-or-later
// Halo catalogues: a table for any program, and HDF5 in GADGET-4's layout (kpc/h, 1e10 Msun/h, km/s).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "analysis/halos/halo.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "run/hdf5/hdf5_file.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

/// One line of column names with their units, then one per halo of each rank's share, all digits: positions and radii
/// comoving Mpc/h; masses Msun/h; velocities peculiar km/s; angular momentum over mass
/// physical Mpc/h km/s. In vacuum, positions are relative to the centre of the sphere and their columns are named
/// x_from_centre. Rank 0 writes what the others send it, `in_flight` halos at a time. Replaces `path` when all is
/// written. Collective. Throws SharedError.
void write_halo_table(const std::string& path, std::span<const Halo> halos, Boundary boundary,
                      const Communicator& comm = {}, std::uint64_t in_flight = 65536);

/// The spheres of a group by the names of their columns in GADGET-4's catalogues.
inline constexpr std::pair<const char*, SphericalMass HaloSpheres::*> named_spheres[] = {
    {"Crit200", &HaloSpheres::crit200},
    {"Crit500", &HaloSpheres::crit500},
    {"Mean200", &HaloSpheres::mean200},
    {"TopHat200", &HaloSpheres::virial}};

/// The properties of its snapshot that a catalogue states.
struct CatalogueSnapshot {
  double time = 1;  ///< expansion factor
  SnapshotBox box;
  CosmologyParameters cosmology;
  bool by_group = false;  ///< its first particles are the members, in their order
};

/// Rows of a catalogue.
struct CatalogueCounts {
  std::uint64_t groups = 0, subhalos = 0, ids = 0;
};

/// The groups Header, Parameters and Run of a catalogue in GADGET-4's layout; Run/origin (kpc/h) is what its positions
/// have in addition to those of the run, as in snapshots. `kind` says what its subhalos are.
void write_catalogue_header(hdf5::File& file, const CatalogueCounts& counts, const CatalogueSnapshot& snapshot,
                            const std::string& kind);

/// Each rank's share of the halos and of their members' ids (member_ids of analysis/halos/group_order.hpp) as one file:
/// Header; Group: GroupPos, GroupMass, GroupLen, Group_M_Crit200, ...; Subhalo: SubhaloVmax, ..., one of each group,
/// with all its members, for readers that expect some (Header states SubhaloKind; for bound subhalos see
/// run/trees/subhalo_file.hpp); IDs/ID. GroupOffsetType is where in the snapshot a group's
/// members begin; it exists only if they are contiguous. Positions and radii are comoving, GroupVel is a times the
/// peculiar velocity SubhaloVel, TopHat200 the virial sphere (virial_overdensity), GroupId the smallest id of a
/// member. SubhaloSpin (kpc/h km/s, physical), SubhaloSpinPeebles, SubhaloSpinBullock and SubhaloConcentration are
/// those of all particles within Group_R_Crit200 (analysis/halos/halo_structure.hpp). Replaces `path` when all is
/// written. Collective. Throws SharedError.
void write_halo_file(const std::string& path, std::span<const Halo> halos, std::span<const std::uint64_t> member_ids,
                     const CatalogueSnapshot& snapshot, const Communicator& comm = {});

}  // namespace multiwalk
