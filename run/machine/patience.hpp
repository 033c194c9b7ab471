// SPDX-License-Identifier: GPL-3.0-or-later
// An action for the case that a call takes too long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace multiwalk {

/// Calls `act` in a thread of its own if this object still exists after `limit`.
class Patience {
 public:
  Patience(std::chrono::milliseconds limit, std::function<void()> act)
      : thread_([this, limit, act = std::move(act)] {
          std::unique_lock lock(mutex_);
          if (!ended_.wait_for(lock, limit, [this] { return done_; })) act();
        }) {}
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;
  ~Patience() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    ended_.notify_one();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace multiwalk
