// SPDX-License-Identifier: GPL-3.0-or-later
// Linear octree over key-sorted particles: nodes in breadth-first order, the children of a node contiguous.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/base/aligned_buffer.hpp"
#include "host/base/box.hpp"
#include "host/base/large_memory.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// A node's particles and children. A leaf has no children.
struct Node {
  std::uint32_t first = 0;        ///< first particle (key order)
  std::uint32_t count = 0;        ///< particles below this node
  std::uint32_t first_child = 0;  ///< index of the first child; 0 for a leaf
  std::uint16_t child_count = 0;
  std::uint16_t level = 0;  ///< root is 0; side = cube side * 2^-level

  [[nodiscard]] MULTIWALK_HOST_DEVICE bool leaf() const { return child_count == 0; }
};

/// Moments about the centre of mass; S_ab = sum m x_a x_b keeps its trace, which softening needs. One cache line.
struct alignas(64) Multipole {
  Vec3d centre_of_mass;
  float mass = 0;
  float xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
};

/// The tree and the particles that it was built on, as walks and force kernels read them. Never owns.
struct TreeView {
  Cube cube;
  std::span<const Node> node;            ///< (nodes)
  std::span<const Multipole> multipole;  ///< (nodes)
  std::span<const Vec3d> position;       ///< (N) key order
  std::span<const float> mass;           ///< (N)
  std::span<const std::uint64_t> key;    ///< (N) Morton keys, rising

  [[nodiscard]] double side(std::uint32_t n) const {
    return cube.side / static_cast<double>(std::uint64_t{1} << node[n].level);
  }
};

struct TreeOptions {
  std::uint32_t leaf_size;  ///< a node with more particles is split, down to the last key level
};

/// First particle of each child of a node, and one past the last.
using ChildBounds = std::array<std::uint32_t, 9>;

/// The particles over which a tree is built, in key order. Never owns.
struct SortedParticles {
  std::span<const Vec3d> position;     ///< (N)
  std::span<const float> mass;         ///< (N)
  std::span<const std::uint64_t> key;  ///< (N) Morton keys, rising
};

/// Owns nodes and moments; refers to the particles it was built on, which must outlive it unmoved.
class Octree {
 public:
  [[nodiscard]] TreeView view() const;
  /// May be replaced where a cell is shared with other ranks.
  [[nodiscard]] std::span<Multipole> multipole() { return multipole_; }
  [[nodiscard]] std::size_t size() const { return node_.size(); }
  /// First node of each level, plus one past the last.
  [[nodiscard]] std::span<const std::uint32_t> level_offset() const { return level_offset_; }

 private:
  friend void build_octree(const SortedParticles&, const Cube&, const TreeOptions&, Octree&);
  friend void compute_moments(Octree&);

  Cube cube_;
  std::vector<Node> node_;
  std::vector<Multipole> multipole_;
  std::vector<std::uint32_t> level_offset_;
  AlignedBuffer<ChildBounds> bounds_;  ///< while building
  std::span<const Vec3d> position_;
  std::span<const float> mass_;
  std::span<const std::uint64_t> key_;
};

/// Working memory of sort_by_key, worth keeping between sorts.
struct SortScratch {
  struct Entry {
    std::uint64_t key;
    std::uint32_t index;
  };
  LargeArray<Entry> entries, other;
  LargeArray<std::uint16_t> bucket;
  LargeArray<std::uint32_t> order;
  ReorderScratch moved;
};

/// Sorts scratch.entries by key, equal keys by index (parallel).
void sort_entries(SortScratch& scratch);

/// Sorts the store by Morton key within `cube` (parallel, stable) and fills `key`.
void sort_by_key(ParticleStore& particles, const Cube& cube, SortScratch& scratch);
/// Sorts the store with little memory (38 bytes per particle, temporarily), but more slowly.
void sort_by_key(ParticleStore& particles, const Cube& cube);
/// Leaves the store unchanged: the sorted particles lie in `scratch` until the next sort, and particle i among them is
/// particle scratch.order[i] of the store.
SortedParticles sort_copies(const ParticleStore& particles, const Cube& cube, SortScratch& scratch);

/// Octree with moments over particles sorted with the same cube. Without particles the tree has no nodes. `tree` is
/// replaced and its memory reused.
void build_octree(const SortedParticles& particles, const Cube& cube, const TreeOptions& options, Octree& tree);
/// Over a store sorted by sort_by_key.
void build_octree(const ParticleStore& particles, const Cube& cube, const TreeOptions& options, Octree& tree);
Octree build_octree(const ParticleStore& particles, const Cube& cube, const TreeOptions& options);

/// M2M: the moments of several cells together.
Multipole merge_multipoles(std::span<const Multipole> children);

/// P2M on the leaves, M2M upwards, accumulated in double precision (called by build_octree).
void compute_moments(Octree& tree);

}  // namespace multiwalk
