// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts from many domains joined into one tree for walks: their roots are below cells that are always opened.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/essential_trees/essential_cut.hpp"
#include "host/base/box.hpp"
#include "host/base/large_memory.hpp"

namespace multiwalk {

/// A distant domain as one cell, with the tight box of its particles.
struct FarCell {
  EssentialNode cell;
  Box box;
};

/// Far cells merged with their neighbours, eight at a time, into cells with moments of their own, whose side is the
/// longest of the box around them: a walk opens only those that are near and, in a periodic cube, those that are large
/// or extend across a face. Node 0 is the root. Empty if there are no cells.
std::vector<EssentialNode> merge_far_cells(std::span<const FarCell> cells, const Cube& cube,
                                           const GravityOptions& options);

/// Owns the arrays of a SourceTree made of several cuts.
class EssentialForest {
 public:
  struct Tree {
    std::span<const EssentialNode> node;
    std::span<const EssentialParticle> particle;
  };

  /// Replaces earlier contents and reuses their memory. Trees are in the order of the lists. `cube`: of all ranks.
  void assemble(std::span<const Tree> trees, const Cube& cube, const OpeningCriterion& criterion,
                double gravitational_constant);
  [[nodiscard]] const SourceTree& source() const { return source_; }

 private:
  void set_node(std::uint32_t at, const EssentialNode& node, std::uint32_t first);

  LargeArray<Node> node_;
  LargeArray<Multipole> multipole_;
  LargeArray<float> radius_;
  WalkFamilies families_;
  LargeArray<Vec3d> position_;
  LargeArray<float> mass_;
  SourceTree source_;
};

}  // namespace multiwalk
