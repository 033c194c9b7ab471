// SPDX-License-Identifier: GPL-3.0-or-later
// One GPU of the back end and what it holds.
#pragma once

#include <cstddef>

#include "device/backends/raw_reader.cuh"
#include "device/backends/resident_walks.cuh"
#include "device/base/resident_arrays.cuh"
#include "device/base/result_pieces.cuh"
#include "device/lists/active_groups.cuh"
#include "device/mesh/device_mesh.cuh"
#include "device/mesh/device_spectrum.cuh"
#include "device/tree/device_tree.cuh"
#include "device/walk/walk_kernel.cuh"
#include "device/walk/walk_launch.cuh"

namespace multiwalk {

struct WalkDevice {
  DeviceMemory memory;
  Stream stream;
  Stream side;  ///< copies beside the sort
  Event epoch, uploaded;
  ResidentArrays arrays;
  DeviceTree tree;
  DeviceMesh mesh;
  DeviceSpectrum spectrum;
  TreeSharing sharing;
  ResidentWalks walks;
  ActiveGroups active;
  WalkLaunch launch;
  ResultPieces pieces;
  RawReader reader;
  std::size_t slot_bytes = 0;

  WalkDevice(int number, std::size_t limit)
      : memory((check_cuda(cudaSetDevice(number), "cudaSetDevice"), number), limit),
        arrays(memory),
        tree(memory),
        mesh(memory),
        spectrum(memory, mesh.over_ranks()),
        sharing(memory),
        walks(memory),
        active(memory),
        reader(memory) {
    prepare_walks();
  }

  /// Reserves what walks on the device need besides the tree grown last and its `particles` particles, and frees what
  /// they do not need. False: the device is too full, and nothing is reserved.
  [[nodiscard]] bool prepare_resident_walks(std::size_t particles);
  /// Room for results that stay; false as above.
  [[nodiscard]] bool reserve_results(std::size_t particles) {
    return arrays.reserve_results(particles, !tree.input().kept, stream);
  }
  /// Where results stay: those of kept particles by place, with accelerations that overwrite the old ones.
  [[nodiscard]] StoreResults results(bool accumulate);
  /// Frees what the next walks compute again anyway.
  void release_between_walks();
  /// The walks of the tree grown last; `own_groups`: for the groups that it came with.
  MadeWalks walk(const GroupWalks& task, bool own_groups);
  /// See DeviceWalker, of kept particles; the tree is as it was grown if it is fresh.
  MadeWalks walk_active(const ActiveWalks& task, bool fresh, bool large_groups);
  /// Reads sources and targets from the kept particles.
  void read_kept();
  /// To the targets' feed or, if there is none, to their arrays. Waits for the stream.
  void copy_results(const TargetView& targets);
  /// Frees what only walks need.
  void end_resident_walks();
};

}  // namespace multiwalk
