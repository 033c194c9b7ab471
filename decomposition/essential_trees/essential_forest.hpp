// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts from many domains put together as one tree to be walked: their roots hang below cells that are always opened.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/essential_trees/essential_cut.hpp"
#include "decomposition/ranks/bulk_vector.hpp"
#include "host/base/box.hpp"

namespace multiwalk {

/// A cell from afar with the tight box of its particles.
struct FarCell {
  EssentialNode cell;
  Box box;
};

/// Far cells merged by neighbourhood, eight at a time, into cells with moments of their own whose side is the longest
/// of the box around them: a walk opens only what is near, and in a periodic cube what is large or lies on both sides
/// of a face. Node 0 is the root. Empty for none.
std::vector<EssentialNode> merge_far_cells(std::span<const FarCell> cells, const Cube& cube,
                                           const GravityOptions& options);

/// Owns the arrays of a SourceTree made of several cuts.
class EssentialForest {
 public:
  struct Tree {
    std::span<const EssentialNode> node;
    std::span<const EssentialParticle> particle;
  };

  /// Replaces what was there; the order of the trees is that of the lists. `cube`: of all ranks. Memory is used again.
  void assemble(std::span<const Tree> trees, const Cube& cube, const OpeningCriterion& criterion,
                double gravitational_constant);
  [[nodiscard]] const SourceTree& source() const { return source_; }

 private:
  void set_node(std::uint32_t at, const EssentialNode& node, std::uint32_t first);

  BulkVector<Node> node_;
  BulkVector<Multipole> multipole_;
  BulkVector<float> radius_;
  WalkFamilies families_;
  BulkVector<Vec3d> position_;
  BulkVector<float> mass_;
  SourceTree source_;
};

}  // namespace multiwalk
