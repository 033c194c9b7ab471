// SPDX-License-Identifier: GPL-3.0-or-later
// A lock for work that may take long and may call other people's code.
#pragma once

#include <cstdint>
#include <thread>

namespace multiwalk {

/// Threads get it in the order in which they ask. The thread that has it may take it again, and gives it back as often.
class FairLock {
 public:
  FairLock() = default;
  FairLock(const FairLock&) = delete;
  FairLock& operator=(const FairLock&) = delete;

  /// Waits for it. False in a forked process if its parent's thread had it: what it protects may be half-changed.
  [[nodiscard]] bool lock();
  void unlock() noexcept;

 private:
  std::thread::id holder_;
  std::uint64_t next_ = 0, served_ = 0;  ///< tickets
  unsigned depth_ = 0;                   ///< how often the holder has it
  unsigned forks_ = 0;                   ///< fork_count() of the process that used it last
};

}  // namespace multiwalk
