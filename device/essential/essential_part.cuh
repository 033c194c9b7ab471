// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a grown tree that the walks of another rank read (Warren & Salmon 1993; Makino 2004), cut by the device.
#pragma once

#include <cstdint>

#include "device/essential/group_boxes.cuh"
#include "device/tree/scratch.cuh"
#include "device/tree/tree_arrays.cuh"
#include "host/force/local_tree.hpp"

namespace multiwalk {

/// How much of a node is in a part: nothing, the cell, or also its children or particles.
enum class Share : std::uint8_t { nothing, cell, contents };

/// Finds and writes the part for one rank. A cell whose contents are left out is accepted everywhere, or lies beyond
/// the cut-off of pair forces everywhere.
class EssentialPart {
 public:
  explicit EssentialPart(DeviceMemory& memory) : share_(memory), total_(memory) {}

  /// Enqueues the search of what walks inside these boxes (device memory) may open. False: the device is full.
  [[nodiscard]] bool find(const CutTree& tree, const WalkSettings& walks, const GroupBox* box, std::uint32_t boxes,
                          Scratch& scratch, const Stream& stream);
  /// The size of the part that was found; waits for the stream.
  [[nodiscard]] TreeSize size(const Stream& stream) const;
  /// Enqueues the writing of the part, which is to lie at `base` of the reader's arrays. `before`: (nodes) working
  /// memory. False: the device is full.
  [[nodiscard]] bool write(const CutTree& tree, const TreeSize& base, const TreeArrays& to,
                           DeviceBuffer<TreeSize>& before, Scratch& scratch, const Stream& stream) const;
  void release(const Stream& stream) {
    share_.release(stream);
    total_.release(stream);
  }

 private:
  DeviceBuffer<Share> share_;  ///< (nodes)
  DeviceBuffer<TreeSize> total_;
};

}  // namespace multiwalk
