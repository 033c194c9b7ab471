// SPDX-License-Identifier: GPL-3.0-or-later
// What is said while something is measured that takes long.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace multiwalk {

/// Where a measurement says how far it is, and how long it is silent.
struct MeasuringListener {
  std::function<void(const std::string&)> say;  ///< none: nothing is said
  double silence = 10;                          ///< seconds
};

/// Says how far and how long, again and again after `silence`, from a thread of its own. While it exists nobody else
/// says anything to the same listener.
class MeasuringProgress {
 public:
  MeasuringProgress(std::string what, const MeasuringListener& listener);
  MeasuringProgress(const MeasuringProgress&) = delete;
  MeasuringProgress& operator=(const MeasuringProgress&) = delete;
  ~MeasuringProgress();

  /// This fraction is done. Any thread.
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
