// SPDX-License-Identifier: GPL-3.0-or-later
// The interface of outputs that a run makes little by little and that keep a state between their files or have their
// own times: the light cone, subhalos and their trees, density grids, lens planes. A new one is one class and one line
// in run/driver/running_outputs.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// Memory of a particle's copy for work in another thread; it may take a sixteenth of the machine's.
inline constexpr std::size_t bytes_aside = 48;

/// The particles at the end of a step. Their accelerations and potentials may be older.
struct RunningMoment {
  const ParticleSystem& system;
  const DomainMap& domains;
  double softening = 0;  ///< comoving Mpc/h
  bool aside = false;    ///< another thread may finish the work during the next steps (one rank only)
};

struct WrittenFiles {
  std::vector<std::string> path;  ///< the same on every rank
  /// If not empty: work on the files that is still to be done. It is called once, perhaps in another thread while steps
  /// change the particles, which it must not use. Until it returns, only due() is called, and nobody else uses HDF5.
  std::function<void()> rest = {};
};

/// When an output writes files, and how their names begin.
struct TimesOfFiles {
  std::string what, stem;
  std::vector<double> times;       ///< expansion factors at which steps end
  std::vector<double> about = {};  ///< those that the first step after them serves
};

/// All members are collective unless they only return a number, and throw SharedError if a file cannot be written.
class RunningOutput {
 public:
  virtual ~RunningOutput() = default;
  /// Hears of every drift, if not null.
  virtual DriftObserver* drift_observer() { return nullptr; }
  /// Whether write() is to be called after the step that ended at this time.
  [[nodiscard]] virtual bool due(double /*time*/) const { return false; }
  virtual WrittenFiles write(const RunningMoment& /*moment*/) { return {}; }
  /// All times at which it writes, past ones included; none if it writes all the time.
  [[nodiscard]] virtual TimesOfFiles times() const { return {}; }
  /// Called at the end of a run, even of one that is stopped early. Writes the files that all earlier ones lead to and
  /// returns what was made, for the log.
  virtual std::string finish() = 0;
  /// Brings the files so far to disk and stores the matching state in `state`, or beside the checkpoint.
  virtual void save(RunningState& state) = 0;
  /// Called when the checkpoint is on disk: removes files that no restart needs any more.
  virtual void checkpoint_written() = 0;
  /// Time that it has taken since the start or restart of the run, in seconds, without what it left for later.
  [[nodiscard]] double seconds() const { return seconds_; }

 protected:
  double seconds_ = 0;
};

}  // namespace multiwalk
