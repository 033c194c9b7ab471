// SPDX-License-Identifier: GPL-3.0-or-later
// Cells cut by a domain face, so that several ranks have a piece. The pieces are joined to one cell, which has the
// moments that a single rank would find and is listed once: forces on many ranks equal those of one tree up to
// rounding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/base/box.hpp"
#include "host/force/source_trees.hpp"

namespace multiwalk {

/// Another rank's piece of a cell that is a node of the local tree.
struct CellMatch {
  std::uint32_t node = 0;
  int rank = 0;
  Multipole piece;
  std::uint64_t count = 0;  ///< particles of the piece
};

/// The nodes of the local tree that are pieces of cells which other ranks share. The lowest of these ranks lists the
/// whole cell where it is accepted; on the others the node has the same moments, so that all decide alike, but is not
/// listed.
class SharedCells {
 public:
  /// Finds them: `box` (ranks) are the tight boxes of the ranks' particles; cells of a level below `first_level` are
  /// always opened. Collective.
  void find(const Communicator& comm, const LocalTree& local, std::span<const Box> box, int first_level);
  /// Extends the boxes of groups of shared cells to contain the other ranks' part of the cell, unless a single rank
  /// would have split the cell: a group cut by a face then has no shorter list than on one rank. In a periodic box,
  /// none becomes too wide for a walk. Returns the widened boxes.
  std::vector<Box> widen_groups(const LocalTree& local, std::span<const Box> box) const;
  /// Writes the cells into the local tree as walks of a reader should see them, given which ranks are `near` (ranks)
  /// it: the whole cell if all ranks with a piece are near; the piece if only this one is; otherwise always opened, so
  /// that all ranks decide alike.
  void show(const LocalTree& local, const std::vector<bool>& near);
  /// The nodes, rising, that find or show may have changed.
  [[nodiscard]] std::span<const std::uint32_t> changed() const { return changed_; }
  [[nodiscard]] std::size_t size() const { return cells_.size(); }

 private:
  struct Cell {
    std::uint32_t node;
    Multipole piece, whole;
    std::uint64_t count;                  ///< particles of the whole
    std::uint32_t first_sharer, sharers;  ///< in sharer_, this rank included, rising
  };
  enum class Shown { piece, whole, opened };

  /// Takes the others' pieces, by node and rank.
  void take(int rank, const LocalTree& local, std::span<const CellMatch> matches, int first_level);
  [[nodiscard]] bool widen(const LocalTree& local, std::span<const Box> box, std::uint64_t largest, Group& group) const;
  [[nodiscard]] Shown seen_by(const Cell& cell, const std::vector<bool>& near) const;

  std::vector<Cell> cells_;
  std::vector<int> sharer_;
  int rank_ = 0;
  std::vector<Shown> shown_;  ///< (cells)
  std::vector<std::uint32_t> changed_;
};

}  // namespace multiwalk
