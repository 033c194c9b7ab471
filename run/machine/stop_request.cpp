// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/machine/stop_request.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <string_view>
#include <utility>

#include "host/base/phase_timer.hpp"
#include "host/threads/fork.hpp"

namespace multiwalk {

namespace {

std::atomic<int> caught_signal{0};
std::atomic<std::time_t> caught_at{0};
std::atomic<unsigned> catching_at{0};  ///< fork_count() of the process whose runs can stop
std::atomic<bool> output_is_closed{false};

/// Launchers may send a signal twice in a row; a repetition later is deliberate. Batch systems may send other signals
/// next, and the system repeats SIGXCPU every second.
constexpr std::time_t meant_after = 3;  // s

void record_signal(int signal) {
  if (catching_at != fork_count()) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  std::timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (caught_signal == 0) {
    caught_signal = signal;
    caught_at = now.tv_sec;
    constexpr std::string_view told = "\nstopping after this step with a checkpoint; signal again to stop at once\n";
    if (::isatty(STDERR_FILENO) == 1 && ::write(STDERR_FILENO, told.data(), told.size()) < 0) return;
  } else if (signal == caught_signal && (signal == SIGTERM || signal == SIGINT) &&
             now.tv_sec - caught_at > meant_after) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

std::atomic<bool> hangups_ignored{false};

constexpr std::array handled{SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};
constexpr std::array names{"SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGXCPU"};

/// The process's handlers while any StopRequest catches signals: runs in several threads may begin and end in any
/// order.
class CaughtSignals {
 public:
  void begin() {
    const std::lock_guard lock(mutex_);
    if (users_++ > 0) return;
    caught_signal = 0;
    catching_at = fork_count();
    struct sigaction action {};
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      action.sa_handler = handled[i] == SIGHUP && hangups_ignored ? SIG_IGN : record_signal;
      ::sigaction(handled[i], &action, &before_[i]);
    }
  }
  void end() {
    const std::lock_guard lock(mutex_);
    if (--users_ > 0) return;
    for (std::size_t i = 0; i < before_.size(); ++i) ::sigaction(handled[i], &before_[i], nullptr);
  }

 private:
  ForkSafeMutex mutex_;
  int users_ = 0;
  std::array<struct sigaction, std::size(handled)> before_{};  ///< the handlers before the first
};

CaughtSignals signals;

const char* name_of(int signal) {
  return names[static_cast<std::size_t>(std::ranges::find(handled, signal) - handled.begin())];
}

}  // namespace

StopRequest::StopRequest(std::string run_directory, double wall_limit, double began, bool catch_signals)
    : stop_file_(std::move(run_directory) + "/stop"), wall_limit_(wall_limit), began_(began), catches_(catch_signals) {
  if (catches_) signals.begin();
}

StopRequest::~StopRequest() {
  if (catches_) signals.end();
}

void StopRequest::ask(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  asked_ = reason;
}

std::string StopRequest::reason(double margin, const Communicator& comm) const {
  std::string mine = own_reason(margin, comm.root());
  const int first = comm.min(mine.empty() ? comm.size() : comm.rank());
  return first == comm.size() ? "" : comm.broadcast(std::move(mine), first);
}

std::string StopRequest::own_reason(double margin, bool root) const {
  if (const int signal = caught_signal; catches_ && signal != 0) return std::string("caught ") + name_of(signal);
  {
    const std::lock_guard lock(mutex_);
    if (!asked_.empty()) return asked_;
  }
  if (!root) return "";
  if (catches_ && output_is_closed) return "standard output was closed";
  std::error_code ignored;
  if (std::filesystem::exists(stop_file_, ignored)) return "found the file " + stop_file_;
  if (wall_limit_ > 0 && wall_time() - began_ + margin > wall_limit_) return "the wall-clock limit is near";
  return "";
}

void ignore_hangups() {
  hangups_ignored = true;
}

void note_closed_output() {
  output_is_closed = true;
}

std::string stopped_text(std::uint64_t step, std::uint64_t most_steps, const std::string& reason,
                         const std::string& directory) {
  return fmt::format("stopped after step {} because {}; continue with: multiwalk run --restart {}{}", step, reason,
                     directory, most_steps > 0 && step >= most_steps ? " --set time.max_steps=0" : "");
}

}  // namespace multiwalk
