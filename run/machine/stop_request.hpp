// SPDX-License-Identifier: GPL-3.0-or-later
// Reasons to end a run at the next step boundary: a signal, a file named `stop`, the wall-clock limit.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

class StopRequest {
 public:
  /// With `catch_signals` it heeds, while it exists, the signals by which users and batch systems announce the end:
  /// SIGTERM, SIGINT, SIGHUP (but see ignore_hangups), SIGUSR1, SIGUSR2 and SIGXCPU; SIGTERM or
  /// SIGINT again, seconds later, ends the process as it would without this object. `wall_limit` in seconds after
  /// `began` (wall_time), 0: none.
  StopRequest(std::string run_directory, double wall_limit, double began, bool catch_signals = true);
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  /// Asks for a stop on this rank. Another thread may call it.
  void ask(const std::string& reason);
  /// The reason to stop now, or empty to continue; the same on every rank. Reasons are a signal or a request to stop on
  /// any rank, and the file or the limit on rank 0. `margin`: seconds that the next step and a checkpoint may take.
  /// Collective.
  [[nodiscard]] std::string reason(double margin, const Communicator& comm = {}) const;

 private:
  [[nodiscard]] std::string own_reason(double margin, bool root) const;

  std::string stop_file_;
  double wall_limit_;
  double began_;
  bool catches_;
  mutable std::mutex mutex_;
  std::string asked_;
};

/// The process was started to ignore SIGHUP, as by nohup. Libraries of MPI set a handler of their own before main.
void ignore_hangups();

/// Says that the reader of this process's standard output has closed it, which also stops runs whose StopRequest
/// catches signals.
void note_closed_output();

/// The message of a run that ends after `step` of at most `most_steps` (0: no limit): why, and how to continue.
std::string stopped_text(std::uint64_t step, std::uint64_t most_steps, const std::string& reason,
                         const std::string& directory);

}  // namespace multiwalk
