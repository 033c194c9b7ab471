// What a walk reads of every node, as arrays by coordinate so that the eight children of a node are tested at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/force/gravity_options.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/walk_batch.hpp"

namespace multiwalk {

/// Owns. Arrays of (nodes + 8), the tail padded so that eight nodes can be read from any index.
struct WalkNodes {
  std::vector<double> x, y, z;   ///< centre of mass
  std::vector<double> radius2;   ///< squared opening radius; infinite where the cell is always opened; negative where
                                 ///< an accepted cell is not listed, because another tree lists it
  std::vector<double> strength;  ///< relative criterion: cell strength; empty for the others
};

/// Replaces `result`, using its memory again.
void make_walk_nodes(const TreeView& tree, const GravityOptions& options, double gravitational_constant,
                     WalkNodes& result);

/// Writes node `n` for moments and a particle count that may be more than the tree's own.
void set_walk_node(const TreeView& tree, std::uint32_t n, const Multipole& moments, std::uint64_t count,
                   const GravityOptions& options, double gravitational_constant, WalkNodes& result);

/// What one group asks of a walk.
struct WalkQuery {
  Vec3d centre, half_size;           ///< of the group's tight box
  double scale = 0;                  ///< relative criterion: relative_scale of the group
  std::uint32_t first = 0, end = 0;  ///< particles of the group, [first, end), own tree only; empty: another's tree
};

/// Where one walk's list goes; the walk stops and returns false when a buffer could overflow.
struct ListBuffer {
  std::uint32_t* cells;
  ParticleRange* ranges;
  std::size_t cell_capacity;
  std::size_t range_capacity;
  std::size_t cell_count = 0;
  std::size_t range_count = 0;
  std::uint32_t source_count = 0;  ///< particles in the ranges
};

/// Plain pointers for kernels compiled for one instruction set.
struct WalkNodesView {
  const Node* node;
  const double* x;
  const double* y;
  const double* z;
  const double* radius2;
  const double* strength;  ///< null unless relative
};

}  // namespace multiwalk
