// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/piece_line.hpp"

#include <omp.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace multiwalk {

namespace {

constexpr int small_team = 4;  // up to this size, the leader also works on pieces

}  // namespace

PieceLine::PieceLine(std::size_t pieces, std::size_t slots, Order order, Steps steps)
    : pieces_(pieces),
      slots_(slots),
      sends_(order == Order::worked_then_moved),
      steps_(std::move(steps)),
      ready_(sends_ ? slots : 0),
      done_(std::make_unique<std::atomic<bool>[]>(pieces)) {}

bool PieceLine::finished() const {
  return (sends_ ? started_ : worked_) == pieces_;
}

bool PieceLine::may_start() {
  while (worked_ < pieces_ && done_[worked_].load(std::memory_order_acquire)) ++worked_;
  return started_ < (sends_ ? worked_ : std::min(pieces_, worked_ + slots_));
}

void PieceLine::lead(bool works) {
  while (!finished()) {
    if (may_start()) {
      steps_.start(started_++);
    } else if (moved_ < started_ && steps_.moved(moved_)) {
      ++moved_;
      ready_.store(moved_ + (sends_ ? slots_ : 0), std::memory_order_release);
    } else if (!works || !help()) {
      std::this_thread::yield();
    }
  }
}

void PieceLine::work(std::size_t piece) {
  steps_.work(piece);
  done_[piece].store(true, std::memory_order_release);
}

bool PieceLine::help() {
  std::size_t piece = next_.load();
  while (piece < std::min(pieces_, ready_.load(std::memory_order_acquire))) {
    if (!next_.compare_exchange_weak(piece, piece + 1)) continue;
    work(piece);
    return true;
  }
  return false;
}

void PieceLine::follow() {
  for (std::size_t piece = next_++; piece < pieces_; piece = next_++) {
    while (piece >= ready_.load(std::memory_order_acquire)) {
      if (failed_) return;
      std::this_thread::yield();
    }
    work(piece);
  }
}

void PieceLine::join(int rank, int size) noexcept {
  if (rank > 0) {
    follow();
    return;
  }
  try {
    lead(size <= small_team);
  } catch (...) {
    failure_ = std::current_exception();
    failed_ = true;
  }
}

void PieceLine::run() {
#pragma omp parallel if (pieces_ > 1)
  join(omp_get_thread_num(), omp_get_num_threads());
  require_moved();
}

}  // namespace multiwalk
