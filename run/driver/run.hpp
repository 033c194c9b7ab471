// SPDX-License-Identifier: GPL-3.0-or-later
// One run from its first forces to its report, whatever evolves: steps, outputs, measurements, record, checkpoints, and
// reasons to stop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "run/driver/evolution.hpp"
#include "run/evolve/output_schedule.hpp"
#include "run/machine/exit_code.hpp"
#include "run/machine/stop_request.hpp"
#include "run/outputs/outputs.hpp"
#include "run/records/progress.hpp"
#include "run/records/run_meter.hpp"
#include "run/setup/run_setup.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

class Run {
 public:
  /// `making`: the seconds that it took to make the particles, by part; `began`: wall_time when the program was
  /// started. The progress must outlive the run. Collective, as operator() is.
  Run(RunSetup setup, const std::vector<PartSeconds>& making, const Communicator& comm, Progress& progress,
      double began);

  /// Runs to the end, or until there is a reason to stop.
  ExitCode operator()();
  /// Evaluates the first forces or advances by a step, or by several short ones, and makes the outputs that are due
  /// then. False if the run has ended: at its last time, or earlier with a checkpoint because of a reason to stop.
  bool advance();

  /// The parameters that were asked for, with the cosmology of a file.
  [[nodiscard]] const Parameters& parameters() const { return parameters_; }
  /// Set once the run has ended.
  [[nodiscard]] const std::optional<ExitCode>& ended() const { return ended_; }
  [[nodiscard]] const std::string& why_stopped() const { return why_stopped_; }  ///< empty unless it ended early
  /// Asks for the end of the run before the next step; not collective. Another thread may call it.
  void ask_to_stop(const std::string& reason) { stop_.ask(reason); }
  /// `listen` is called a few times a second within long blocks of steps.
  void listen_with(std::function<void()> listen) { listen_ = std::move(listen); }
  /// A step ends exactly at this time, without an output. The same on every rank.
  void stop_over(double time) { schedule_.add_stop(time); }
  [[nodiscard]] Evolution& evolution() { return *evolution_; }
  [[nodiscard]] const RunRecord& record() const { return record_; }
  [[nodiscard]] double first_time() const { return first_time_; }
  [[nodiscard]] double last_time() const { return schedule_.last(); }
  /// Approximately, of the snapshots that are still to be written and of two checkpoints; not collective.
  [[nodiscard]] double bytes_to_write() const;
  [[nodiscard]] const Communicator& communicator() const { return comm_; }

 private:
  void prepare_outputs(RunSetup& setup);
  void warn_of_changes(const RunRecord& earlier);
  void warn_of_passed_outputs();
  /// Called when a row of the record is complete: makes the outputs and measurements that are due.
  void finish(StepRecord row);
  void warn_of_energy_error(double error);
  void write_outputs_if_due();
  /// Writes the outputs of an output time that began at `began`.
  void write_output(OutputMoment& moment, double began);
  void write_diagnostics();
  void report();
  void checkpoint();
  void checkpoint_if_due();
  /// Everything that is due at the end of a run except its checkpoint.
  void write_end();
  void require_steps_left() const;
  void stop_early(const std::string& reason);
  /// Ends the run after it abandoned a block whose start was not kept: the last checkpoint stays the newest.
  void stop_between_times(const std::string& reason);
  /// Looks for a reason to stop within a long block, and whether its end is near enough to wait for it. Collective.
  bool abandons(const BlockMoment& moment);
  void end();
  [[nodiscard]] std::string reason_to_stop() const;
  [[nodiscard]] SnapshotAttributes run_attributes() const;
  /// Charges the time since `began` to a phase of the last row.
  void charge(Phase phase, double began);
  /// The fraction of the run that is done, in ln a or time.
  [[nodiscard]] double fraction_done() const;

  Communicator comm_;
  const Parameters parameters_;  ///< the run's only ones: evolution and simulation refer to them
  Progress& progress_;
  std::string directory_, run_id_;
  double first_time_;
  OutputSchedule schedule_;
  StopRequest stop_;
  RunRecord record_;
  std::unique_ptr<RunMeter> meter_;
  std::optional<Outputs> outputs_;
  std::unique_ptr<Evolution> evolution_;
  std::optional<StepTables> tables_;
  std::optional<double> row_joules_;  ///< of all devices when the last row ended
  bool started_ = false;
  std::uint64_t first_step_ = 0;  ///< of this start
  std::optional<ExitCode> ended_;
  std::function<void()> listen_;
  std::string why_stopped_;
  std::string why_abandoned_;  ///< the reason to stop that was found within a block
  double last_look_ = 0;       ///< within a block
  bool checkpoint_exists_ = false;
  std::uint64_t safe_step_ = 0;  ///< after which a restart would go on
  double last_advance_seconds_ = 0, checkpoint_seconds_ = 0;
  double last_checkpoint_ = wall_time();
  double next_diagnostics_;  ///< wall_time at which diagnostics.hdf5 is written again
};

}  // namespace multiwalk
