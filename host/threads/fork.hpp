// SPDX-License-Identifier: GPL-3.0-or-later
// Safety after fork(): the child has a copy of the parent's memory, but only the thread that called fork().
#pragma once

#include <mutex>

namespace multiwalk {

/// The number of forks between the process that loaded this code and this one. Threads, devices and MPI set up at
/// another count belong to another process and must not be used.
unsigned fork_count() noexcept;

/// The end of messages about what a forked process cannot use.
inline constexpr const char* spawn_advice =
    "start processes by the method \"spawn\" (multiprocessing.get_context(\"spawn\"))";

/// A mutex that is never locked in a forked child, because fork() waits for it. Hold it only briefly, and take neither
/// another such mutex nor the lock of Python's interpreter while holding it.
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
