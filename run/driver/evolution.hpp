// SPDX-License-Identifier: GPL-3.0-or-later
// The physics of a run as its driver sees it: particles under a tree code (tree_evolution.hpp) or bodies under direct
// summation (direct_evolution.hpp).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "analysis/pictures/body_trails.hpp"
#include "decomposition/domains/domain_map.hpp"
#include "host/motion/particle_view.hpp"
#include "host/particles/particle_system.hpp"
#include "host/time/drift_observer.hpp"
#include "run/evolve/block_watch.hpp"
#include "run/evolve/output_schedule.hpp"
#include "run/parameters/parameters.hpp"
#include "run/records/run_record.hpp"
#include "run/records/step_tables.hpp"
#include "run/snapshots/checkpoint.hpp"

namespace multiwalk {

/// This rank's particles, with the facts that outputs need about them. Valid until the next advance().
struct EvolutionView {
  ParticleView particles;
  DomainMap domains = {};
  double softening = 0;                ///< comoving, internal length, without its physical cap
  double background = 0;               ///< 1/2 Omega_m H0^2 of a comoving sphere in vacuum
  std::uint32_t force_mesh = 0;        ///< cells per side; 0: forces need no mesh
  const BodyTrails* trails = nullptr;  ///< of few bodies
};

/// All members are collective unless they only return a number.
class Evolution {
 public:
  virtual ~Evolution() = default;

  /// Sets the fields that stay the same during the run: back end, threads, devices, particles, frame.
  virtual void describe(RunRecord& record) const = 0;
  [[nodiscard]] virtual StepTables::Columns columns() const = 0;
  /// The parameters, with the run's own choices in place of the given values.
  [[nodiscard]] virtual Parameters parameters_as_used() const = 0;

  [[nodiscard]] virtual double time() const = 0;  ///< expansion factor (comoving) or t
  [[nodiscard]] virtual bool comoving() const = 0;
  [[nodiscard]] virtual std::uint64_t step_count() const = 0;
  [[nodiscard]] virtual std::uint64_t peak_device_memory() const = 0;  ///< bytes on this rank's devices
  [[nodiscard]] virtual EvolutionView view() = 0;

  /// Evaluates the first forces. Returns the first row of the record unless a checkpoint holds it already.
  virtual std::optional<StepRecord> start() = 0;
  /// Advances by at most `most` steps (0: no limit) for at most about a second or one step, and not beyond the next
  /// output. Returns a row of the record if one is complete.
  virtual std::optional<StepRecord> advance(const OutputSchedule& schedule, std::uint64_t most) = 0;

  /// The energy to which the relative energy error refers, and advice on making the error smaller; if the advice is
  /// empty, large errors give no warning.
  [[nodiscard]] virtual const char* energy_scale() const = 0;
  [[nodiscard]] virtual std::string energy_advice(const RunRecord& record) const = 0;

  /// The observer hears of every drift from now on. It must outlive the evolution.
  virtual void observe_drifts(DriftObserver* /*observer*/) {}
  /// Looks at blocks of steps from now on. One that is abandoned ends advance() without a row.
  virtual void watch_blocks(const BlockWatch& /*watch*/) {}
  /// False if an abandoned block has left the particles between two times, of which no checkpoint can be made.
  [[nodiscard]] virtual bool synchronised() const { return true; }
  /// Measures the forces of the particles that an output, perhaps the last one, is about to show.
  virtual void measure_output(RunRecord& /*record*/, bool /*last*/) {}
  /// Makes the measurements that are due after a step, when `fraction` of the run is done.
  virtual void measure_step(RunRecord& /*record*/, double /*fraction*/) {}
  /// Throws if a number is not finite.
  virtual void require_finite() const {}

  /// The state that a checkpoint stores besides particles and record, as a JSON object.
  [[nodiscard]] virtual nlohmann::json state() const = 0;
  [[nodiscard]] virtual CheckpointView checkpoint_view(std::string parameters, std::string state) const = 0;
};

}  // namespace multiwalk
