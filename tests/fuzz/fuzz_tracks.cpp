// SPDX-License-Identifier: GPL-3.0-or-later
// A file of tracks, and a catalogue of subhalos, whose attributes and columns are other than they should be
// (deviating_file.hpp).
#include "run/trees/subhalo_file.hpp"
#include "run/trees/track_file.hpp"
#include "tests/fuzz/deviating_file.hpp"

using namespace multiwalk;
using namespace multiwalk::fuzz;

namespace {

const Attributes header{
    {"Time", {0.5}}, {"BoxSize", {1000}}, {"Omega0", {0.3}}, {"OmegaLambda", {0.7}}, {"HubbleParam", {0.7}}};

/// Two tracks with three members in all.
void write_tracks(const Handle& file, FuzzedDataProvider& input) {
  const Handle tracks = make_group(file, "Tracks");
  write_attribute(tracks, {"NextTrack", {2}}, true, input);
  write_attribute(tracks, {"Outputs", {1}}, true, input);
  write_attribute(tracks, {"Time", {0.5}}, false, input);
  for (const Dataset& column :
       {Dataset{"TrackId", {0, 1}, 1, H5T_NATIVE_INT64}, Dataset{"Parent", {-1, 0}, 1, H5T_NATIVE_INT64},
        Dataset{"Bound", {2, 1}, 1, H5T_NATIVE_UINT64}, Dataset{"Born", {0, 0}, 1, H5T_NATIVE_INT32},
        Dataset{"Missed", {0, 0}, 1, H5T_NATIVE_INT32}, Dataset{"Members", {2, 1}, 1, H5T_NATIVE_UINT64},
        Dataset{"ID", {7, 8, 9}, 1, H5T_NATIVE_UINT64}})
    write_dataset(tracks, column, input);
}

/// Two subhalos and the end of a track.
void write_subhalos(const Handle& file, FuzzedDataProvider& input) {
  const Handle top = make_group(file, "Header");
  for (const Attribute& each : header) write_attribute(top, each, false, input);
  const Handle subhalos = make_group(file, "Subhalo");
  const std::vector<double> two{0, 1}, six{1, 2, 3, 4, 5, 6};
  for (const char* name : {"SubhaloTrackId", "SubhaloParentTrackId", "SubhaloIDMostbound", "SubhaloGroupNr"})
    write_dataset(subhalos, {name, two, 1, H5T_NATIVE_INT64}, input);
  for (const char* name : {"SubhaloLen", "SubhaloMass", "SubhaloRankInGr", "SubhaloVelDisp", "SubhaloVmax",
                           "SubhaloVmaxRad", "SubhaloHalfmassRad"})
    write_dataset(subhalos, {name, two, 1, H5T_NATIVE_FLOAT}, input);
  for (const char* name : {"SubhaloPos", "SubhaloVel", "SubhaloSpin"})
    write_dataset(subhalos, {name, six, 3, H5T_NATIVE_FLOAT}, input);
  const Handle ends = make_group(file, "Ends");
  for (const char* name : {"TrackId", "Descendant", "IDMostbound"})
    write_dataset(ends, {name, {3}, 1, H5T_NATIVE_INT64}, input);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  FuzzedDataProvider input(data, bytes);
  const MemoryFile file(nullptr, 0);
  const bool tracks = !input.ConsumeBool();
  {
    const Handle made = make_file(file.path());
    tracks ? write_tracks(made, input) : write_subhalos(made, input);
  }
  expect_input_error_at_most([&] {
    if (tracks) {
      for (const Track& track : read_track_file(file.path()).memory.tracks)
        if (track.head.bound > track.member.size()) std::abort();
    } else {
      read_subhalo_file(file.path());
    }
  });
  return 0;
}
