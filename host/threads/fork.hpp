// SPDX-License-Identifier: GPL-3.0-or-later
// What a forked process needs to know: fork copies the memory of a process, but of its threads only the one that forks.
#pragma once

#include <mutex>

namespace multiwalk {

/// How many forks lie between the process that loaded this code and this one. What was made at another count belongs to
/// another process: its threads, its devices and its MPI.
unsigned fork_count() noexcept;

/// The end of messages about what a forked process cannot use.
inline constexpr const char* spawn_advice =
    "start processes by the method \"spawn\" (multiprocessing.get_context(\"spawn\"))";

/// A mutex that no forked process finds locked, because a fork waits for it. Hold it for a moment only, and take
/// neither another one nor the lock of Python's interpreter meanwhile.
class ForkSafeMutex {
 public:
  ForkSafeMutex();
  ~ForkSafeMutex();
  ForkSafeMutex(const ForkSafeMutex&) = delete;
  ForkSafeMutex& operator=(const ForkSafeMutex&) = delete;

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

}  // namespace multiwalk
