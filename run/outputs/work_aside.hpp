// SPDX-License-Identifier: GPL-3.0-or-later
// Work of outputs that another thread does during the next steps.
#pragma once

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <optional>
#include <utility>

#include "host/base/error.hpp"
#include "host/base/phase_timer.hpp"
#include "host/threads/worker.hpp"

namespace multiwalk {

/// Memory of a particle's copy for work in another thread; it may take a sixteenth of the machine's.
inline constexpr std::size_t bytes_aside = 48;

/// Does one piece of work at a time. The destructor waits for the last one.
class WorkAside {
 public:
  /// Starts act() in the thread, whose parallel regions have this number of threads; by default one is left to the
  /// caller. The previous work must have been waited for.
  void start(std::function<void()> act, int threads = std::max(1, omp_get_max_threads() - 1)) {
    require(!done_.valid(), "the previous work has not been waited for");
    if (!worker_) worker_.emplace();
    began_ = wall_time();
    done_ = worker_->run([this, act = std::move(act), threads] {
      omp_set_num_threads(threads);
      act();
      ended_ = wall_time();
    });
  }
  /// Returns when the work is done; throws what it threw.
  void wait() {
    if (!done_.valid()) return;
    const double began = wall_time();
    std::future<void> done = std::exchange(done_, {});
    done.wait();
    waited_ += wall_time() - began;
    done.get();
    seconds_ += ended_ - began_;
    longest_ = std::max(longest_, ended_ - began_);
  }
  /// Throws what the work threw, if it has ended; does not wait.
  void check() {
    if (done_.valid() && done_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) wait();
  }
  [[nodiscard]] double seconds() const { return seconds_; }  ///< of all finished work
  [[nodiscard]] double waited() const { return waited_; }    ///< seconds of all wait()
  /// Seconds of the longest work so far, the present one included.
  [[nodiscard]] double longest() const { return done_.valid() ? std::max(longest_, wall_time() - began_) : longest_; }

 private:
  double seconds_ = 0, waited_ = 0, longest_ = 0, began_ = 0;
  double ended_ = 0;  ///< of the last work, once it is done
  std::future<void> done_;
  std::optional<Worker> worker_;  ///< ends first
};

}  // namespace multiwalk
