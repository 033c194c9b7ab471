// SPDX-License-Identifier: GPL-3.0-or-later
// A lock for work that may take long and may call user code.
#pragma once

#include <cstdint>
#include <thread>

namespace multiwalk {

/// Threads get it in the order in which they ask. It is recursive: its holder may lock it again, and unlocks it as
/// often.
class FairLock {
 public:
  FairLock() = default;
  FairLock(const FairLock&) = delete;
  FairLock& operator=(const FairLock&) = delete;

  /// Waits until it is free. False in a forked child if a thread of the parent held it: what it protects may then be
  /// half-changed.
  [[nodiscard]] bool lock();
  void unlock() noexcept;

 private:
  std::thread::id holder_;
  std::uint64_t next_ = 0, served_ = 0;  ///< tickets
  unsigned depth_ = 0;                   ///< how often the holder has it
  unsigned forks_ = 0;                   ///< fork_count() of the process that used it last
};

}  // namespace multiwalk
