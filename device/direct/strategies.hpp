// SPDX-License-Identifier: GPL-3.0-or-later
// The classic ways to distribute the pairs of N bodies over a device, each as a back end of its own, to be measured
// against the kernels of cuda_direct_backend.hpp. All evaluate gravity with potential in single precision and differ
// only in the order in which squares of the N x N matrix of pairs are taken, and by whom.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "host/direct/direct_backend.hpp"

namespace multiwalk {

/// A square of the matrix has as many targets as sources. A block adds the sums of what it takes at a time to the
/// targets' sums in memory.
enum class TileOrder {
  i_parallel,  ///< all squares of a row, one thread per target (Nyland, Harris & Prins 2007)
  j_parallel,  ///< a part of the sources for one row after the other; parts fill the device (Hamada & Iitaka 2007)
  chamomile,   ///< a row's sources in bags of 256, whose sums are added (J-BAGs of Hamada & Iitaka 2007)
  square,      ///< one square (Kavanagh 2008); large ones with several targets per thread
  triangle     ///< one square on or above the diagonal, each of its pairs for both bodies (Kavanagh 2008)
};

enum class BlockSharing {
  one_block,   ///< does everything, as in Kavanagh's thesis
  all_blocks,  ///< shares fixed beforehand
  queue        ///< as many blocks as fit on the device at once take from a queue
};

struct SumStrategy {
  const char* name;
  TileOrder order;
  BlockSharing sharing;
  unsigned threads = 128;  ///< of a block: a multiple of 32, at most 1024
  unsigned each = 1;       ///< targets of a thread: 1, or 4 without triangle; threads x each is a square's side
  unsigned blocks = 0;     ///< 0: chosen
};

inline constexpr std::array<SumStrategy, 12> sum_strategies{
    {{"i-parallel", TileOrder::i_parallel, BlockSharing::all_blocks},
     {"j-parallel", TileOrder::j_parallel, BlockSharing::all_blocks},
     {"Chamomile", TileOrder::chamomile, BlockSharing::all_blocks},
     {"triangle, one block", TileOrder::triangle, BlockSharing::one_block, 512},
     {"triangle, all blocks", TileOrder::triangle, BlockSharing::all_blocks},
     {"triangle, queue", TileOrder::triangle, BlockSharing::queue},
     {"square, one block", TileOrder::square, BlockSharing::one_block, 512},
     {"square, all blocks", TileOrder::square, BlockSharing::all_blocks},
     {"square, queue", TileOrder::square, BlockSharing::queue},
     {"large square, one block", TileOrder::square, BlockSharing::one_block, 512, 4},
     {"large square, all blocks", TileOrder::square, BlockSharing::all_blocks, 128, 4},
     {"large square, queue", TileOrder::square, BlockSharing::queue, 128, 4}}};

/// Sums of a strategy on the device of this number: softened, targets and sources the same arrays, no jerk; the task's
/// precision is ignored. The last bits vary from call to call. Throws Error if the device does not work.
std::unique_ptr<DirectBackend> make_strategy_backend(const SumStrategy& strategy, int device);

}  // namespace multiwalk
