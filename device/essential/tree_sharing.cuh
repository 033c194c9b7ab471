// SPDX-License-Identifier: GPL-3.0-or-later
// Each rank's device cuts from its tree the parts that walks of other ranks read, and adds their parts to its own tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/base/peer_memory.cuh"
#include "device/base/pinned_memory.hpp"
#include "device/base/resident_arrays.cuh"
#include "device/essential/essential_part.cuh"
#include "device/tree/device_tree.cuh"
#include "host/force/tree_exchange.hpp"

namespace multiwalk {

/// The families of the roots of other ranks' parts, in device memory.
struct ForeignRoots {
  const std::uint32_t* family = nullptr;  ///< (count)
  std::uint32_t count = 0;
};

class TreeSharing {
 public:
  explicit TreeSharing(DeviceMemory& memory)
      : memory_(&memory),
        finder_(memory),
        box_(memory),
        before_(memory),
        scratch_(memory),
        outgoing_(memory),
        root_(memory) {}

  /// Adds the parts of other ranks, in their order, behind the arrays of the tree grown last and of its kept particles.
  /// False, on all ranks: a device is too full, or there is no tree (null) on one of them. Collective; waits for the
  /// stream.
  [[nodiscard]] bool operator()(TreeExchange& others, const WalkSettings& walks, DeviceTree* grown,
                                ResidentArrays& arrays, const Stream& stream);
  [[nodiscard]] ForeignRoots roots() const { return roots_; }
  /// Forgets the roots.
  void release(const Stream& stream);

 private:
  using Matrix = std::vector<std::vector<TreeSize>>;  ///< [owner][reader]: a part; own place: the owner's own tree

  /// The boxes around the groups of all ranks; empty, on all ranks: a device is too full, or there is no tree.
  [[nodiscard]] std::vector<std::vector<GroupBox>> gather_boxes(TreeExchange& others, const WalkSettings& walks,
                                                                const DeviceTree* tree, const ResidentArrays& arrays,
                                                                const Stream& stream);
  /// Finds the parts for all ranks; returns the sizes of all parts, empty as above.
  [[nodiscard]] Matrix find_parts(TreeExchange& others, const std::vector<std::vector<GroupBox>>& boxes,
                                  const WalkSettings& walks, const CutTree& tree, const Stream& stream);
  /// Makes room for the parts of others and writes those for others.
  [[nodiscard]] bool write_parts(const Matrix& sizes, std::size_t rank, DeviceTree& tree, ResidentArrays& arrays,
                                 const Stream& stream);
  /// A rank's parts are written, and lie here.
  struct Written {
    PeerAddress address;
    bool all = false;
  };
  /// Where the parts of other ranks lie in device memory; none: through the host. The same on all ranks.
  [[nodiscard]] std::vector<const std::byte*> open_peers(TreeExchange& others, std::span<const Written> written);
  void receive_through_host(TreeExchange& others, const Matrix& sizes, const TreeArrays& to, const Stream& stream);
  void place_roots(const Matrix& sizes, std::size_t rank, const Stream& stream);

  DeviceMemory* memory_;
  GroupBoxFinder finder_;
  std::vector<EssentialPart> part_;  ///< (ranks)
  DeviceBuffer<GroupBox> box_;
  DeviceBuffer<TreeSize> before_;
  Scratch scratch_;
  PeerBuffer outgoing_;
  std::vector<OpenedPeer> peer_;  ///< (ranks)
  std::vector<PeerAddress> opened_;
  bool direct_ = false;
  PinnedBuffer<std::byte> sent_, received_;
  PinnedBuffer<std::uint32_t> root_on_host_;
  DeviceBuffer<std::uint32_t> root_;
  ForeignRoots roots_;
};

}  // namespace multiwalk
