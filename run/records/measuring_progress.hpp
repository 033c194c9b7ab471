// SPDX-License-Identifier: GPL-3.0-or-later
// Messages during long measurements.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace multiwalk {

/// Where a measurement reports its progress, and how often.
struct MeasuringListener {
  std::function<void(const std::string&)> say;  ///< empty: no messages
  double silence = 10;                          ///< seconds between messages
};

/// Reports the fraction done and the time taken at intervals of `silence`, from a thread of its own. While it exists,
/// nothing else may use the same listener.
class MeasuringProgress {
 public:
  MeasuringProgress(std::string what, const MeasuringListener& listener);
  MeasuringProgress(const MeasuringProgress&) = delete;
  MeasuringProgress& operator=(const MeasuringProgress&) = delete;
  ~MeasuringProgress();

  /// Sets the fraction that is done. Callable from any thread.
  void at(double fraction) { fraction_ = fraction; }

 private:
  void speak();

  std::string what_;
  MeasuringListener listener_;
  double began_;
  std::atomic<double> fraction_ = 0;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread speaker_;
};

}  // namespace multiwalk
