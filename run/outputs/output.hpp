// SPDX-License-Identifier: GPL-3.0-or-later
// What a run writes. An output without a state that writes at the output times of the run has write() alone; others
// keep a state that checkpoints store, hear of drifts, or have times of their own. A new one is a class and a row in
// run/setup/output_kinds.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/halos/halo_finder.hpp"
#include "analysis/pictures/body_trails.hpp"
#include "decomposition/domains/domain_map.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/motion/particle_view.hpp"
#include "host/time/drift_observer.hpp"
#include "run/evolve/output_schedule.hpp"
#include "run/outputs/own_times.hpp"
#include "run/outputs/work_aside.hpp"
#include "run/parameters/parameters.hpp"
#include "run/records/run_record.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

/// The state of a run on one rank when outputs are written.
struct OutputMoment {
  const Communicator& comm;
  const Parameters& parameters;  ///< with the mesh and walks that the run chose itself
  ParticleView particles;        ///< this rank's
  DomainMap domains = {};
  const BodyTrails* trails = nullptr;  ///< of few bodies, which images show as orbits
  double softening = 0;                ///< comoving, internal length, without its physical cap
  double background = 0;               ///< 1/2 Omega_m H0^2 of a comoving sphere in vacuum
  std::uint32_t force_mesh = 0;        ///< cells per side; 0: forces need no mesh
  SnapshotAttributes run = {};         ///< how the run made these particles
  std::size_t number = 0;              ///< of the output, from 0
  // What Outputs adds:
  std::shared_ptr<const HaloCatalogue> halos = {};    ///< if an output needs them
  nlohmann::json entries = nlohmann::json::object();  ///< of the outputs that have written before, by name
  /// Takes work that is called once, perhaps while steps change the particles, which it must not use. Until it returns,
  /// only Output::due is called, and nobody else uses HDF5. Null: write() has to do all.
  WorkAside* aside = nullptr;

  /// run.directory/STEM_NNN
  [[nodiscard]] std::string path(std::string_view stem) const;
};

/// What a checkpoint stores of an output.
struct OutputState {
  nlohmann::json json = nullptr;      ///< the same on every rank; null: there is no state
  std::vector<std::byte> bytes = {};  ///< on rank 0
};

/// All members are collective unless they only return a number, and throw SharedError if a file cannot be written.
class Output {
 public:
  virtual ~Output() = default;

  /// Writes the files of this moment. At an output time it returns the entry for report.json: paths under `file`,
  /// `snapshot`, `images` or as text, and figures; without files an empty value. At a time of its own: a list of paths,
  /// the same on every rank.
  virtual nlohmann::json write(const OutputMoment& /*moment*/) { return nullptr; }
  /// Whether write() reads moment.halos.
  [[nodiscard]] virtual bool needs_halos(const Parameters& /*parameters*/) const { return false; }

  /// Without a value it writes at the output times of the run; else after steps at whose end it is due.
  [[nodiscard]] virtual std::optional<OwnTimes> own_times() const { return std::nullopt; }
  [[nodiscard]] virtual bool due(double /*time*/) const { return false; }
  /// Hears of every drift, if not null.
  virtual DriftObserver* drift_observer() { return nullptr; }

  /// Brings the files so far to disk and returns the state that a restart gets as OutputSetup::stored, perhaps of a
  /// file beside the checkpoint of this step.
  virtual OutputState save(std::uint64_t /*step*/) { return {}; }
  /// Called when the checkpoint is on disk: removes files that no restart needs any more.
  virtual void checkpoint_written() {}
  /// Called at the end of a run, even of one that is stopped early. Writes the files that all earlier ones lead to and
  /// returns what was made, for the log.
  virtual std::string finish() { return ""; }
  /// Time that it has taken since the start or restart of the run, in seconds, without work aside.
  [[nodiscard]] double seconds() const { return seconds_; }

 protected:
  double seconds_ = 0;
};

/// From what an output is made, at the start or restart of a run.
struct OutputSetup {
  const Parameters& parameters;
  const ParticleSystem& system;  ///< this rank's particles
  const Communicator& comm;
  OutputSchedule& schedule;  ///< to which it may add stops
  const RunRecord& record;
  double first_time = 0;  ///< of the run
  std::uint64_t step = 0;
  bool restart = false;
  const OutputState* stored = nullptr;                ///< its state in the checkpoint; null: there is none
  std::function<void(const std::string&)> tell = {};  ///< for a line about each file
};

/// A row of the table of outputs.
struct OutputKind {
  std::string_view name;   ///< of its entry in report.json and its state in checkpoints: at most 15 characters
  std::string_view files;  ///< regular expression for its files' names, without directory: --overwrite removes these
  /// Null if the parameters do not ask for it. Collective. Throws SharedError.
  std::unique_ptr<Output> (*make)(const OutputSetup& setup);
  bool with_trees_only = false;  ///< not for direct runs
};

}  // namespace multiwalk
