// SPDX-License-Identifier: GPL-3.0-or-later
// Progress of a run, in the style that the user asked for; log.txt has a line per step in any style.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "host/base/phase_timer.hpp"
#include "run/records/run_record.hpp"

namespace spdlog {
class logger;
}

namespace multiwalk {

enum class ProgressStyle {
  automatic,  ///< a bar on a terminal, otherwise as `lines`
  lines,      ///< all messages, and a line every two seconds
  outputs,    ///< a line for each output and one at the end
  none,       ///< nothing; warnings go to stderr
};

/// Estimates the time left from the recent rate of progress: late steps of a clustered universe are slower.
class TimeLeft {
 public:
  /// `fraction` of the run done at `now` seconds of any monotonic clock.
  void add(double now, double fraction);
  /// Seconds; infinite before two different fractions are known.
  [[nodiscard]] double seconds() const;

 private:
  bool started_ = false;
  double last_time_ = 0, last_fraction_ = 0;
  double rate_ = 0;  ///< fraction per second, an exponential mean
};

/// Used by one thread. Appends to directory/log.txt. Throws Error if the log cannot be opened.
class Progress {
 public:
  /// Prints nothing: for all ranks but the first.
  Progress() = default;
  /// Shows text as it comes, a bar with carriage returns.
  using Say = std::function<void(const std::string&)>;
  /// `say`: in place of standard output, which then need not be a terminal.
  Progress(const std::string& directory, ProgressStyle style, Say say = {});
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Reports a step after which `fraction` of the run is done.
  void step(const StepRecord& step, double fraction);
  /// Within a long step: shows `text`, though not more often than every two seconds (a bar: half a second), and logs it
  /// once a minute.
  void alive(const std::string& text);
  /// Writes a line to the log and, if the style shows messages or the line begins with "WARNING: ", shows it.
  void message(const std::string& text);
  /// As message, for an output or the end of the run: `text` is shown unless the style is `none`.
  void milestone(const std::string& text);
  /// Ends the bar's line and forces the log to disk.
  void finish();

 private:
  void write(const std::string& text, bool shown);
  void show_bar(const StepRecord& step, double fraction);
  void show_line(const StepRecord& step, double fraction);
  void clear_bar();

  /// "z = 1.234"; "t = 3.21" while every step had a = 1, as in isolated runs.
  std::string epoch_text(const StepRecord& step);

  Say say_;
  ProgressStyle style_ = ProgressStyle::none;
  bool terminal_ = false;
  bool comoving_ = false;
  bool bar_shown_ = false;
  double last_shown_ = -1e300;
  double last_logged_ = wall_time();
  TimeLeft left_;
  std::shared_ptr<spdlog::logger> log_;
};

/// One line of fewer than `columns` columns: a bar, the epoch ("z = 1.234"), step, particles/s and time left.
std::string progress_bar(const StepRecord& step, const std::string& epoch, double fraction, double seconds_left,
                         int columns);

}  // namespace multiwalk
