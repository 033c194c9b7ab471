// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/records/ic_progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "host/base/phase_timer.hpp"
#include "run/files/number_text.hpp"

namespace multiwalk {

namespace {

constexpr double silence = 10;  // seconds

}  // namespace

IcProgress::IcProgress(Say say) : say_(std::move(say)), began_(wall_time()) {}

void IcProgress::report(const std::string& part, double fraction) {
  if (fraction < 0) {
    say_("WARNING: " + part);
  } else if (fraction > 1) {
    say(part);
  } else if (part != part_) {
    const std::string before = end_part();
    part_ = part;
    say(part + before);
  } else if (wall_time() - last_said_ >= silence) {
    say(fmt::format("{}, {} %", part, std::lround(100 * fraction)));
  }
}

void IcProgress::finish() {
  if (part_.empty()) return;
  const std::string before = end_part();
  say("made in " + duration(wall_time() - began_) + before);
}

void IcProgress::say(const std::string& text) {
  say_("initial conditions: " + text);
  last_said_ = wall_time();
}

std::string IcProgress::end_part() {
  const double now = wall_time(), seconds = now - part_began_;
  part_began_ = now;
  if (part_.empty()) return "";
  parts_.push_back({std::exchange(part_, ""), seconds});
  return fmt::format(" ({} took {})", parts_.back().part, duration(seconds));
}

}  // namespace multiwalk
