// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/threads/fair_lock.hpp"

#include <condition_variable>
#include <mutex>

#include "host/threads/fork.hpp"

namespace multiwalk {

namespace {

/// Guards the state of all locks, so that a fork finds none of them in the middle of a change.
struct Gate {
  ForkSafeMutex mutex;
  std::condition_variable_any* turn = new std::condition_variable_any;
  unsigned forks = fork_count();

  /// A forked process has a new condition: threads that it does not have may wait for the old one.
  void enter() {
    if (forks == fork_count()) return;
    turn = new std::condition_variable_any;
    forks = fork_count();
  }
};

/// Lives until the process ends.
Gate& gate() {
  static auto* const made = new Gate;
  return *made;
}

}  // namespace

bool FairLock::lock() {
  std::unique_lock state(gate().mutex);
  gate().enter();
  if (forks_ != fork_count()) {
    if (depth_ > 0) return false;
    next_ = served_ = 0;
    forks_ = fork_count();
  }
  if (depth_ == 0 || holder_ != std::this_thread::get_id()) {
    const std::uint64_t ticket = next_++;
    gate().turn->wait(state, [&] { return served_ == ticket && depth_ == 0; });
    holder_ = std::this_thread::get_id();
  }
  ++depth_;
  return true;
}

void FairLock::unlock() noexcept {
  const std::lock_guard state(gate().mutex);
  gate().enter();
  if (--depth_ > 0) return;
  ++served_;
  gate().turn->notify_all();
}

}  // namespace multiwalk
