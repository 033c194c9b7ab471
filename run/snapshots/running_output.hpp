// SPDX-License-Identifier: GPL-3.0-or-later
// The interface of outputs that a run makes little by little and that keep a state between their files or have their
// own times: the light cone, subhalos and their trees, density grids, lens planes. A new one is one class and one line
// in run/driver/running_outputs.cpp.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "decomposition/domains/domain_map.hpp"
#include "host/particles/particle_system.hpp"
#include "host/time/drift_observer.hpp"

namespace multiwalk {

/// The state of all running outputs that a checkpoint stores.
struct RunningState {
  std::uint64_t step = 0;                          ///< of the checkpoint, for files beside it
  nlohmann::json json = nlohmann::json::object();  ///< an entry for each output; the same on every rank
  std::vector<std::uint32_t> sky = {};             ///< on rank 0: counts of a light cone
};

/// All members are collective unless they only return a number, and throw SharedError if a file cannot be written.
class RunningOutput {
 public:
  virtual ~RunningOutput() = default;
  /// Hears of every drift, if not null.
  virtual DriftObserver* drift_observer() { return nullptr; }
  /// Whether write() is to be called after the step that ended at this time.
  [[nodiscard]] virtual bool due(double /*time*/) const { return false; }
  /// Returns the paths of the files that it wrote, the same on every rank. `softening`: comoving Mpc/h.
  virtual std::vector<std::string> write(const ParticleSystem& /*system*/, const DomainMap& /*domains*/,
                                         double /*softening*/) {
    return {};
  }
  /// Called at the end of a run, even of one that is stopped early. Writes the files that all earlier ones lead to and
  /// returns what was made, for the log.
  virtual std::string finish() = 0;
  /// Brings the files so far to disk and stores the matching state in `state`, or beside the checkpoint.
  virtual void save(RunningState& state) = 0;
  /// Called when the checkpoint is on disk: removes files that no restart needs any more.
  virtual void checkpoint_written() = 0;
  /// Time that it has taken since the start or restart of the run, in seconds.
  [[nodiscard]] double seconds() const { return seconds_; }

 protected:
  double seconds_ = 0;
};

}  // namespace multiwalk
