// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/records/measuring_progress.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "host/base/phase_timer.hpp"
#include "run/files/number_text.hpp"

namespace multiwalk {

MeasuringProgress::MeasuringProgress(std::string what, const MeasuringListener& listener)
    : what_(std::move(what)), listener_(listener), began_(wall_time()) {
  if (listener_.say) speaker_ = std::thread([this] { speak(); });
}

MeasuringProgress::~MeasuringProgress() {
  if (!speaker_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  speaker_.join();
}

void MeasuringProgress::speak() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, std::chrono::duration<double>(listener_.silence), [this] { return over_; })) {
    const double fraction = fraction_;
    const std::string part = fraction > 0 ? fmt::format("{:.0f} %, ", 100 * fraction) : "";
    listener_.say(fmt::format("{}: {}{} so far", what_, part, duration(wall_time() - began_)));
  }
}

}  // namespace multiwalk
