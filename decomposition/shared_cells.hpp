// Cells that a domain's face cuts: each rank has a piece. All pieces together are one cell again, with the moments that
// one rank alone would find, listed once: forces on many ranks are those of one tree, to rounding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/communicator.hpp"
#include "host/base/box.hpp"
#include "host/force/source_trees.hpp"

namespace multiwalk {

/// The nodes of the local tree of which other ranks have pieces too. The lowest of them lists the whole cell where it
/// is accepted; on the others the node has the same moments, so that all decide alike, but is not listed.
class SharedCells {
 public:
  /// Finds them: `box` (ranks) are the tight boxes of the ranks' particles; cells of a level below `first_level` are
  /// left as pieces. Collective.
  void find(const Communicator& comm, const LocalTree& local, std::span<const Box> box, int first_level);
  /// Writes the cells into the local tree as a walk for a reader should see them: whole where every rank with a piece
  /// is `near` (ranks) the reader, else this rank's piece.
  void show(const LocalTree& local, const std::vector<bool>& near);
  [[nodiscard]] std::size_t size() const { return cells_.size(); }

 private:
  struct Cell {
    std::uint32_t node;
    Multipole piece, whole;
    std::uint64_t count;                  ///< particles of the whole
    std::uint32_t first_sharer, sharers;  ///< in sharer_, this rank included, rising
  };

  std::vector<Cell> cells_;
  std::vector<int> sharer_;
  int rank_ = 0;
  std::vector<bool> shown_;  ///< (cells) whole
};

}  // namespace multiwalk
