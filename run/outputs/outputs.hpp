// SPDX-License-Identifier: GPL-3.0-or-later
// The outputs of a run. The list finds halos once for all that need them, has a thread for work that may go on beside
// the steps, and stores each one's state under its name.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "run/outputs/output.hpp"
#include "run/snapshots/checkpoint.hpp"

namespace multiwalk {

/// The states of all outputs, by name.
struct StoredOutputs {
  nlohmann::json json = nlohmann::json::object();  ///< the same on every rank
  CheckpointBlobs blobs = {};                      ///< on rank 0
};

/// All members are collective unless they only return a number, and throw SharedError.
class Outputs {
 public:
  /// Makes those of the kinds that the parameters ask for, in this order.
  Outputs(std::span<const OutputKind> kinds, OutputSetup setup, StoredOutputs stored);

  [[nodiscard]] std::vector<DriftObserver*> drift_observers() const;
  /// Of those that have times of their own.
  [[nodiscard]] std::vector<OwnTimes> own_times() const;
  /// Whether one with times of its own is due.
  [[nodiscard]] bool due(double time) const;

  /// Finds halos if those that write at output times need them.
  void find_halos(OutputMoment& moment) const;
  /// Those that write at output times, after find_halos().
  OutputRecord write(OutputMoment& moment) const;
  /// Those with times of their own that are due; appends what they wrote to `files`.
  void write_due(OutputMoment& moment, std::vector<RunningFiles>& files);

  /// From now on another thread may work for outputs during steps.
  void allow_work_aside() { may_work_aside_ = true; }
  /// WorkAside; others must wait() before they use HDF5.
  void wait() { aside_.wait(); }
  void check() { aside_.check(); }
  [[nodiscard]] double longest_work() const { return aside_.longest(); }

  [[nodiscard]] StoredOutputs save(std::uint64_t step);
  void checkpoint_written();
  /// `run_seconds`: what the run has taken. Calls `tell` with a line for each output that has one.
  void finish(double run_seconds, const std::function<void(const std::string&)>& tell);

 private:
  struct Named {
    std::string name;
    std::unique_ptr<Output> output;
    bool at_output_times = true;
  };

  [[nodiscard]] bool may_work_aside(const ParticleView& particles) const;

  std::vector<Named> outputs_;
  WorkAside aside_;
  bool may_work_aside_ = false;
};

}  // namespace multiwalk
