// SPDX-License-Identifier: GPL-3.0-or-later
// A tree output's groups and subhalos in GADGET-4's layout (kpc/h, 1e10 Msun/h, km/s).
#pragma once

#include <string>

#include "analysis/subhalos/subhalo_tracker.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "run/snapshots/halo_catalogue.hpp"

namespace multiwalk {

/// Groups by falling mass, and the subhalos of each by rank. Group: GroupPos (of the first subhalo), GroupFirstSub (-1:
/// none), ...; Subhalo: of bound particles only, SubhaloRankInGr, SubhaloParentRank, and beyond GADGET-4's fields
/// SubhaloTrackId and SubhaloParentTrackId (-1: a central); Ends: TrackId, Descendant (-1: lost) and IDMostbound of
/// the tracks that ended since the output before. Rank 0 writes: it holds all rows, about 400 bytes for each group and
/// subhalo. Replaces `path` when all is written. Collective. Throws SharedError.
void write_subhalo_file(const std::string& path, const SubhaloShare& share, const CatalogueSnapshot& snapshot,
                        const Communicator& comm = {});

/// What merger trees need of such a file: all of it in the order of the file. Throws InputError.
struct SubhaloFile {
  double time = 1;
  double box_size = 0;  ///< Mpc/h
  CosmologyParameters cosmology;
  SubhaloShare rows;                ///< of subhalos only what trees show
  std::vector<std::int64_t> group;  ///< (subhalos) number of its group
};
SubhaloFile read_subhalo_file(const std::string& path);

}  // namespace multiwalk
