// SPDX-License-Identifier: GPL-3.0-or-later
// The groups and subhalos of a tree output in GADGET-4's layout (kpc/h, 1e10 Msun/h, km/s).
#pragma once

#include <string>

#include "analysis/subhalos/subhalo_tracker.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "run/snapshots/halo_catalogue.hpp"

namespace multiwalk {

/// Writes the groups by decreasing mass, and the subhalos of each group by rank. Group: GroupPos (of the first
/// subhalo), GroupFirstSub (-1: none), Group_M_Crit200 (of all particles about GroupPos), ...; Subhalo (bound particles
/// only): SubhaloRankInGr, SubhaloParentRank, ..., and in addition to GADGET-4's fields SubhaloTrackId and
/// SubhaloParentTrackId (-1: a central); Ends: TrackId, Descendant (-1: lost) and IDMostbound of the tracks that ended
/// since the previous output. Rank 0 does the writing; it holds all rows, about 400 bytes for each group and subhalo.
/// Replaces `path` when everything is written. Collective. Throws SharedError.
void write_subhalo_file(const std::string& path, const SubhaloShare& share, const CatalogueSnapshot& snapshot,
                        const Communicator& comm = {});

/// The content of such a file that merger trees need, in the order of the file.
struct SubhaloFile {
  double time = 1;
  double box_size = 0;  ///< Mpc/h
  CosmologyParameters cosmology;
  SubhaloShare rows;                ///< of the subhalos, only the properties that trees contain
  std::vector<std::int64_t> group;  ///< (subhalos) number of the subhalo's group
  std::vector<double> group_mass;   ///< (groups) M200 (critical), 1e10 Msun/h; 0 in files of older versions
};
/// Throws InputError.
SubhaloFile read_subhalo_file(const std::string& path);

}  // namespace multiwalk
