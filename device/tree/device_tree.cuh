// SPDX-License-Identifier: GPL-3.0-or-later
// A tree grown on one device from particles in any order; walks need only a copy of its records.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "device/base/pinned_memory.hpp"
#include "device/base/resident_arrays.cuh"
#include "device/particles/store_copy.cuh"
#include "device/tree/sort_particles.cuh"
#include "device/tree/split_nodes.cuh"
#include "device/tree/tree_arrays.cuh"
#include "device/tree/walk_records.cuh"
#include "host/force/tree_grower.hpp"

namespace multiwalk {

/// The host's copy of a grown tree, in page-locked memory.
struct GrownCopy {
  PinnedBuffer<WalkFamily> family;
  PinnedBuffer<Node> node;
  PinnedBuffer<Group> group;
  PinnedBuffer<float> smallest_pull;
  std::vector<double> smallest;
  PinnedBuffer<std::uint32_t> order;
  // Only if asked for.
  PinnedBuffer<Multipole> multipole;
  PinnedBuffer<float> radius;
};

/// In this order: reserve_input, fill the input unless it is kept, find_box (where it is wanted), sort, end_sort, grow,
/// and the copies (of the order as soon as there is one). All but the copies return false or nothing if the device is
/// full; `release` then. `sort` puts all arrays of kept particles into the new key order, and the tree reads them where
/// they are; for other particles it reads the positions and masses in `arrays`.
class DeviceTree {
 public:
  explicit DeviceTree(DeviceMemory& memory);

  /// Makes room for n particles, unless they are kept.
  [[nodiscard]] bool reserve_input(std::size_t n, bool accelerations, const Stream& stream);
  StoreCopy& input() { return input_; }
  [[nodiscard]] const StoreCopy& input() const { return input_; }

  /// The tight box of the positions. Waits for the stream.
  [[nodiscard]] std::optional<Box> find_box(const Stream& stream);
  /// Enqueues: puts kept particles into key order, or writes positions in key order to `arrays`.
  [[nodiscard]] bool sort(const Cube& cube, ResidentArrays& arrays, const Stream& stream);
  /// Writes masses as sort does positions, once the event `masses_there` of the input has been recorded. Waits for the
  /// stream.
  [[nodiscard]] bool end_sort(ResidentArrays& arrays, const Stream& stream);
  /// Nodes, moments (to `arrays`), walk records and groups, which need the accelerations: `wait_for_accelerations`
  /// returns when the event `all_there` of the input has been recorded. Waits for the stream. False, too, if a group is
  /// too wide for a walk and the input is kept, so that the host cannot divide it.
  [[nodiscard]] bool grow(const GrowthTask& task, ResidentArrays& arrays,
                          const std::function<void()>& wait_for_accelerations, const Stream& stream);
  /// Moments and walk records of the nodes where the particles, which are kept with rungs, are now (see DeviceWalker).
  [[nodiscard]] bool follow_particles(const WalkSettings& walks, ResidentArrays& arrays, const Stream& stream);
  /// Enqueues the copy of the tree's order, to memory in `copy`.
  void copy_order(GrownCopy& copy, LocalTree& tree, const Stream& stream) const;
  /// Copies the rest of `tree`; of a resident one, only groups that are too wide for a walk, for the host to divide,
  /// and their pulls. Waits for the stream.
  void copy_tree(GrownCopy& copy, LocalTree& tree, bool whole, const ResidentArrays& arrays,
                 const Stream& stream) const;
  /// The tree as walks on the device read it, until release.
  [[nodiscard]] WalkTree walk_tree() const;
  [[nodiscard]] const Group* group() const { return groups_.group(); }
  [[nodiscard]] std::uint32_t group_count() const { return group_count_; }
  [[nodiscard]] std::size_t particle_count() const { return particles_; }
  /// (groups) null without old accelerations.
  [[nodiscard]] const float* smallest_pull() const { return accelerations_ ? groups_.smallest_pull() : nullptr; }
  /// The tree of kept particles that was grown to be shared, until release_cut.
  [[nodiscard]] CutTree cut_tree(const ResidentArrays& arrays) const;
  /// Makes room for `all` elements; those of the tree stay. False: the device is full.
  [[nodiscard]] bool reserve_more(const TreeSize& all, ResidentArrays& arrays, const Stream& stream);
  /// Frees what only cuts need.
  void release_cut(const Stream& stream) { families_.release_scratch(stream); }
  /// Frees what the next follow_particles computes again: moments, walk records, distances from cells.
  void release_until_followed(ResidentArrays& arrays, const Stream& stream);
  /// Frees what these do not need; the order must have been copied.
  void release_all_but_walks(const Stream& stream);
  /// Passes the order on; kept particles have none.
  void move_order(DeviceBuffer<std::uint32_t>& to) { std::swap(order_.result, to); }
  /// Frees what the evaluation does not need.
  void release(const Stream& stream);

 private:
  [[nodiscard]] bool reorder_kept(ResidentArrays& arrays, const Stream& stream);
  [[nodiscard]] bool copy_sorted_positions(ResidentArrays& arrays, const Stream& stream);
  /// (N) in key order.
  [[nodiscard]] const Vec3d* position(const ResidentArrays& arrays) const {
    return input_.kept ? input_.position.data() : arrays.position.data();
  }
  [[nodiscard]] const float* mass(const ResidentArrays& arrays) const {
    return input_.kept ? input_.mass.data() : arrays.mass.data();
  }
  [[nodiscard]] TreeOnDevice view(const ResidentArrays& arrays) const;

  StoreCopy input_;
  DeviceBuffer<Bounds> bounds_;
  SortPair<std::uint64_t> key_;
  SortPair<std::uint32_t> order_;
  DeviceBuffer<Node> node_;
  DeviceBuffer<std::uint64_t> node_key_;  ///< (nodes) with rungs
  DeviceBuffer<float> spill_;             ///< (nodes) with rungs
  NodeSplitter split_;
  FamilyMaker families_;
  GroupMaker groups_;
  Scratch scratch_;
  std::vector<std::uint32_t> level_offset_;
  Cube cube_;
  std::uint32_t particles_ = 0, family_count_ = 0, group_count_ = 0;
  bool accelerations_ = false;
  bool shared_ = false;
  TreeSize foreign_{};  ///< for which arrays have room besides the tree's own elements
};

}  // namespace multiwalk
