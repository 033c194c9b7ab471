// SPDX-License-Identifier: GPL-3.0-or-later
// A thread that runs one function at a time and stays alive between them.
#pragma once

#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace multiwalk {

class Worker {
 public:
  /// Starts act(). The future carries what it throws and must be ready before the next call.
  [[nodiscard]] std::future<void> run(std::function<void()> act) {
    std::packaged_task<void()> task(std::move(act));
    std::future<void> done = task.get_future();
    {
      const std::lock_guard lock(mutex_);
      task_ = std::move(task);
    }
    ready_.notify_one();
    return done;
  }

 private:
  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (ready_.wait(lock, stop, [&] { return task_.valid(); })) std::exchange(task_, {})();
  }

  std::mutex mutex_;
  std::condition_variable_any ready_;
  std::packaged_task<void()> task_;
  std::jthread thread_{[this](const std::stop_token& stop) { work(stop); }};
};

}  // namespace multiwalk
