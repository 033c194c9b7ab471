// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/records/progress.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <limits>

#include "host/base/error.hpp"
#include "run/files/number_text.hpp"
#include "run/files/partial_file.hpp"
#include "run/files/printable.hpp"
#include "run/machine/stop_request.hpp"

namespace multiwalk {

namespace {

constexpr double bar_interval = 0.1;  ///< seconds between redraws
constexpr double line_interval = 2;   ///< seconds between plain lines
constexpr double log_interval = 60;   ///< seconds between lines of the log within a step
constexpr double remembered = 10;     ///< steps over which the rate of progress is averaged

std::shared_ptr<spdlog::logger> open_log(const std::string& path) {
  FileDescriptor::create_or_open(path).close();  // no link is followed
  try {
    auto log = std::make_shared<spdlog::logger>("run", std::make_shared<spdlog::sinks::basic_file_sink_st>(path));
    log->set_pattern("%Y-%m-%d %H:%M:%S  %v");
    log->flush_on(spdlog::level::info);
    log->set_error_handler([path, told = false](const std::string& error) mutable {
      if (!told) warn_on_stderr(path + " is incomplete: " + error);
      told = true;
    });
    return log;
  } catch (const spdlog::spdlog_ex& error) {
    throw Error("cannot open the log " + path + ": " + error.what());
  }
}

int terminal_columns() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// A closed terminal or a full disk under standard output does not end a run, since the log has the same text; a closed
/// pipe does.
void print(const std::string& text) {
  const bool failed = std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0;
  if (failed && errno == EPIPE) note_closed_output();
}

bool steps_are_shown(ProgressStyle style) {
  return style == ProgressStyle::automatic || style == ProgressStyle::lines;
}

std::string time_left_text(double seconds) {
  return std::isfinite(seconds) ? duration(seconds) + " left" : "";
}

}  // namespace

void TimeLeft::add(double now, double fraction) {
  if (started_ && now > last_time_) {
    const double rate = std::max(0.0, fraction - last_fraction_) / (now - last_time_);
    rate_ = rate_ > 0 ? rate_ + (rate - rate_) / remembered : rate;
  }
  started_ = true;
  last_time_ = now;
  last_fraction_ = fraction;
}

double TimeLeft::seconds() const {
  if (last_fraction_ >= 1) return 0;
  return rate_ > 0 ? (1 - last_fraction_) / rate_ : std::numeric_limits<double>::infinity();
}

std::string Progress::epoch_text(const StepRecord& step) {
  comoving_ = comoving_ || step.a != 1;
  return comoving_ ? fmt::format("z = {:.3f}", step.z) : fmt::format("t = {:.5g}", step.time);
}

std::string progress_bar(const StepRecord& step, const std::string& epoch, double fraction, double seconds_left,
                         int columns) {
  fraction = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0.0;
  const std::string text =
      fmt::format(" {:3.0f}%  {}  step {}  {}/s  {}", std::floor(100 * fraction), epoch, step.step,
                  with_prefix(step.particles_per_second) + "particles", time_left_text(seconds_left));
  const int room = columns - 3 - static_cast<int>(text.size());
  if (room < 5) return text.substr(1, static_cast<std::size_t>(std::max(0, columns - 1)));
  const int length = std::min(room, 40), done = static_cast<int>(std::lround(fraction * length));
  std::string bar = "[";
  for (int i = 0; i < length; ++i) bar += i < done ? '=' : i == done ? '>' : ' ';
  return bar + "]" + text;
}

Progress::Progress(const std::string& directory, ProgressStyle style, Say say)
    : say_(say ? std::move(say) : print),
      style_(style),
      terminal_(style == ProgressStyle::automatic &&
                (say_.target<void (*)(const std::string&)>() == nullptr || ::isatty(STDOUT_FILENO) == 1)),
      log_(open_log(directory + "/log.txt")) {}

Progress::~Progress() {
  clear_bar();
}

void Progress::step(const StepRecord& step, double fraction) {
  if (!log_) return;
  last_logged_ = wall_time();
  const double seconds = total(step.seconds), pairs = static_cast<double>(step.raw.total());
  log_->info("step {:6}  {}  a = {:.6f}  {:.4f} s  {:.4g} pairs  {:.4g} pairs/s  {:.4g} particles/s", step.step,
             epoch_text(step), step.a, seconds, pairs, seconds > 0 ? pairs / seconds : 0.0, step.particles_per_second);
  if (step.block.substeps > 0) {
    log_->info("             {} substeps, {} forces; particles on rungs 0, 1, ...: {}", step.block.substeps,
               step.block.evaluations, fmt::join(step.block.rungs, " "));
  }
  const double now = wall_time();
  left_.add(now, fraction);
  if (!steps_are_shown(style_)) return;
  if (now - last_shown_ < (terminal_ ? bar_interval : line_interval) && fraction < 1) return;
  last_shown_ = now;
  if (terminal_) {
    show_bar(step, fraction);
  } else {
    show_line(step, fraction);
  }
}

void Progress::alive(const std::string& text) {
  if (!log_) return;
  const double now = wall_time();
  if (now - last_logged_ >= log_interval) {
    log_->info("{}", text);
    last_logged_ = now;
  }
  if (!steps_are_shown(style_) || now - last_shown_ < (terminal_ ? 5 * bar_interval : line_interval)) return;
  last_shown_ = now;
  bar_shown_ = terminal_;
  say_(terminal_ ? "\r\033[K" + text.substr(0, static_cast<std::size_t>(std::max(0, terminal_columns() - 1)))
                 : text + "\n");
}

void Progress::show_bar(const StepRecord& step, double fraction) {
  say_("\r\033[K" + progress_bar(step, epoch_text(step), fraction, left_.seconds(), terminal_columns()));
  bar_shown_ = true;
}

void Progress::show_line(const StepRecord& step, double fraction) {
  say_(fmt::format("step {:5}  {}  {:5.1f}%  {:.3f} s  {}particles/s  {}\n", step.step, epoch_text(step),
                   100 * fraction, total(step.seconds), with_prefix(step.particles_per_second),
                   time_left_text(left_.seconds())));
}

void Progress::clear_bar() {
  if (!bar_shown_) return;
  say_("\r\033[K");
  bar_shown_ = false;
}

void Progress::write(const std::string& text, bool shown) {
  if (!log_) return;
  const std::string line = printable(text);
  if (shown) {
    clear_bar();
    say_(line + "\n");
  } else if (line.starts_with("WARNING: ")) {
    std::fputs((line + "\n").c_str(), stderr);
  }
  log_->info("{}", line);
}

void Progress::message(const std::string& text) {
  const bool warns = text.starts_with("WARNING: ") && style_ != ProgressStyle::none;
  write(text, steps_are_shown(style_) || warns);
}

void Progress::milestone(const std::string& text) {
  write(text, style_ != ProgressStyle::none);
}

void Progress::finish() {
  if (!log_) return;
  if (bar_shown_) say_("\n");
  bar_shown_ = false;
  log_->flush();
}

}  // namespace multiwalk
