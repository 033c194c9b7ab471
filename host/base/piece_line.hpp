// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of an array on their way to or from another memory: one thread of a team moves them while the others
// work on those that are ready, without a barrier between pieces.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>

namespace multiwalk {

/// Piece p lies in slot p % slots from the beginning of its first step to the end of its second.
class PieceLine {
 public:
  enum class Order { worked_then_moved, moved_then_worked };
  struct Steps {
    std::function<void(std::size_t piece)> work;   ///< by one thread; may not throw
    std::function<void(std::size_t piece)> start;  ///< begins a move; by the leader, in rising order
    std::function<bool(std::size_t piece)> moved;  ///< whether the move has ended; by the leader
  };

  PieceLine(std::size_t pieces, std::size_t slots, Order order, Steps steps);

  /// Each thread of a team of `size` calls it with its rank from 0 on, which is the leader's. The leader returns when
  /// all work is done and all moves have begun, the others when no piece is left to begin. Does not throw.
  void join(int rank, int size) noexcept;
  /// All threads of OpenMP's team join; throws what a step of the leader threw.
  void run();
  /// Throws what a step of the leader threw, after all threads have returned from join.
  void require_moved() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  [[nodiscard]] bool finished() const;
  [[nodiscard]] bool may_start();
  void lead(bool works);
  void follow();
  /// Works on a piece that is ready; false if none is.
  bool help();
  void work(std::size_t piece);

  std::size_t pieces_, slots_;
  bool sends_;
  Steps steps_;
  std::size_t started_ = 0, moved_ = 0, worked_ = 0;  ///< only for the leader: all pieces before these
  std::atomic<std::size_t> next_{0};                  ///< the first piece that no thread has taken
  std::atomic<std::size_t> ready_;                    ///< pieces before it may be worked on
  std::unique_ptr<std::atomic<bool>[]> done_;         ///< (pieces) worked on
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;
};

}  // namespace multiwalk
