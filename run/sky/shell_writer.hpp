// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the shells of a light cone, in threads of their own.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "decomposition/ranks/communicator.hpp"
#include "run/sky/shell_files.hpp"

namespace multiwalk {

/// All members are collective and throw SharedError.
class ShellWriter {
 public:
  using Tell = std::function<void(const std::string&)>;

  /// `tell` is called with a line about each shell when it has been written, on all ranks. `view`: must outlive it.
  ShellWriter(const Communicator& comm, std::string directory, std::uint32_t nside, const SkyView& view, Tell tell)
      : comm_(comm), directory_(std::move(directory)), nside_(nside), view_(view), tell_(std::move(tell)) {}

  /// Begins to write a shell; waits first if two are being written. `maps`: with all sums on rank 0. `beside`: leaves
  /// half of the threads to the run.
  void begin(const SkyShell& shell, std::unique_ptr<SkyMaps> maps, bool beside);
  /// Waits until all shells have been written.
  void await() { await_all_but(0); }
  /// Reports the shells that have been written meanwhile. Does not wait.
  void report();
  /// Seconds spent making new files, and waiting for threads.
  [[nodiscard]] double making() const { return making_; }
  [[nodiscard]] double waiting() const { return waiting_; }

 private:
  void await_all_but(std::size_t most);

  Communicator comm_;
  std::string directory_;
  std::uint32_t nside_;
  const SkyView& view_;
  Tell tell_;
  double making_ = 0, waiting_ = 0;
  std::deque<SkyShell> unwritten_;  ///< those that are being written
  std::optional<SeenPixels> seen_;
  ShellForm form_;
  std::deque<std::future<void>> writing_;  ///< on rank 0, of these shells; destroyed first
};

}  // namespace multiwalk
