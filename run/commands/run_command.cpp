// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/commands/run_command.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <optional>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "host/base/peak_memory.hpp"
#include "host/base/units.hpp"
#include "run/backends/tree_backend.hpp"
#include "run/driver/direct_run.hpp"
#include "run/evolve/energy_warning.hpp"
#include "run/evolve/measurement_budget.hpp"
#include "run/evolve/output_schedule.hpp"
#include "run/files/json_output.hpp"
#include "run/files/number_text.hpp"
#include "run/files/tree_sizes_file.hpp"
#include "run/machine/machine.hpp"
#include "run/machine/program_ranks.hpp"
#include "run/machine/stop_request.hpp"
#include "run/machine/version.hpp"
#include "run/outputs/outputs.hpp"
#include "run/records/progress.hpp"
#include "run/records/run_meter.hpp"
#include "run/records/step_history.hpp"
#include "run/records/step_tables.hpp"
#include "run/report/report.hpp"
#include "run/setup/run_identity.hpp"
#include "run/setup/run_setup.hpp"
#include "run/snapshots/checkpoint.hpp"

namespace multiwalk {

namespace {

/// Relative; the errors of forces alone cost some 1e-3.
constexpr double first_worrying_energy_error = 0.01;

/// One run from its first forces to its report.
class Run {
 public:
  /// `making`: of the particles; `began`: wall_time when the program was started.
  Run(Beginning beginning, const std::vector<PartSeconds>& making, const Communicator& comm, Progress& progress,
      double began)
      : comm_(comm),
        parameters_(std::move(beginning.parameters)),
        progress_(progress),
        directory_(parameters_.run.directory),
        run_id_(std::move(beginning.run_id)),
        choice_(std::move(beginning.backend)),
        simulation_(parameters_, std::move(beginning.system), *choice_.backend, comm),
        first_time_(beginning.first_time),
        schedule_(std::move(beginning.schedule)),
        stop_(directory_, parameters_.run.wall_limit * units::seconds_per_hour, began),
        meter_(choice_.metered, choice_.devices_in_all, began, comm) {
    progress_.message("back end: " + choice_.why);
    progress_.message(measurements_text(parameters_));
    if (parameters_.output.halos) {
      require_halos(simulation_.host_view());
      const std::string warning = warning_of_unequal_masses(simulation_.host_view(), comm);
      if (!warning.empty()) progress_.message("WARNING: " + warning);
    }
    if (choice_.devices.size() > static_cast<std::size_t>(threads())) {
      progress_.message(
          fmt::format("WARNING: {} threads feed only as many of the {} devices: set run.threads or run.devices",
                      threads(), choice_.devices.size()));
    }
    if (beginning.is_new()) {
      record_.initial_conditions = making;
      recall_sizes();
    } else {
      restore(beginning.state);
    }
    describe();
    const int rungs = simulation_.block_steps() ? rung_count : 0;
    tables_.emplace(comm_, directory_, StepTables::Columns{false, rungs}, beginning.state);
    if (!tables_->warning().empty()) progress_.message("WARNING: " + tables_->warning());
  }

  ExitCode operator()() {
    if (record_.steps.empty()) progress_.message("first forces");
    const double began = wall_time();
    StepRecord first = simulation_.start();
    if (record_.steps.empty()) {
      tell_of_first(first, wall_time() - began);
      last_raw_ = first.last_raw();
      first.energy_error = simulation_.energy_error();
      add_step(record_, std::move(first));
      write_if_due();
      census_if_due();
      tables_->add(record_.steps.back());
    }
    while (simulation_.time() < schedule_.last()) {
      const std::string reason = reason_to_stop();
      if (!reason.empty()) return stop_early(reason);
      advance();
    }
    end_with_checkpoint();
    progress_.finish();
    progress_.message(
        fmt::format("finished: {} steps, report in {}/report.html", simulation_.step_count(), directory_));
    return ExitCode::ok;
  }

 private:
  void restore(const nlohmann::json& state) {
    simulation_.restore(state.at("simulation"));
    record_ = record_from_json(state.at("record"));
    meter_.go_on_from(record_);
    trials_before_ = record_.measuring.trials;
    next_census_ = state.at("next_census");
    if (record_.threads != threads() || record_.backend != backend_text()) {
      progress_.message(
          fmt::format("WARNING: the checkpoint was made with {} threads on {}; going on with {} threads on "
                      "{} may differ in the last bits",
                      record_.threads, record_.backend, threads(), backend_text()));
    }
    if (record_.ranks != comm_.size()) {
      progress_.message(
          fmt::format("WARNING: the checkpoint was made on {} ranks; going on with {} will differ in the "
                      "last bits",
                      record_.ranks, comm_.size()));
    }
  }

  /// An earlier run in this directory may have found the fastest sizes.
  void recall_sizes() {
    TreeSizes found;
    together(comm_, [&] {
      if (comm_.root()) found = read_tree_sizes(directory_, simulation_.sizes_are_for()).value_or(TreeSizes{});
    });
    comm_.broadcast(std::span(&found, 1));
    if (found.group == 0) return;
    simulation_.take_sizes(found, true);
    progress_.message(sizes_text() + ", as an earlier run in this directory found");
  }

  [[nodiscard]] std::string sizes_text() const {
    const TreeSizes sizes = simulation_.sizes();
    return fmt::format("groups of at most {} and leaves of at most {} particles", sizes.group, sizes.leaf);
  }

  void note_sizes() {
    progress_.message(sizes_text() + ", found fastest, from now on");
    together(comm_, [&] {
      if (comm_.root()) write_tree_sizes(directory_, simulation_.sizes_are_for(), simulation_.sizes());
    });
  }

  [[nodiscard]] int threads() const {
    return parameters_.run.threads > 0 ? parameters_.run.threads : omp_get_max_threads();
  }
  [[nodiscard]] std::string backend_text() const {
    return std::string(choice_.backend->name()) + " (" + choice_.backend->description() + ")";
  }

  void describe() {
    record_.version = version_short();
    record_.machine = machine_description(comm_);
    record_.backend = backend_text();
    if (record_.started.empty()) record_.started = now_as_text();
    record_.threads = threads();
    record_.ranks = comm_.size();
    record_.devices = choice_.devices_in_all;
    record_.particles = simulation_.particle_count();
    record_.comoving = simulation_.comoving();
    if (record_.worrying_energy_error == 0) record_.worrying_energy_error = first_worrying_energy_error;
  }

  void tell_of_first(const StepRecord& first, double seconds) {
    const double moving = first.seconds[static_cast<std::size_t>(Phase::decompose)];
    progress_.message("first forces: " + duration(seconds) +
                      (comm_.alone() ? "" : ", " + duration(moving) + " of it to move particles to their ranks"));
  }

  void advance() {
    const double began = wall_time();
    const std::optional<double> joules = meter_.joules_of_all();
    const bool searching = !simulation_.sizes_settled();
    StepRecord step = simulation_.step(schedule_.end_of_step(simulation_.time(), simulation_.next_time()));
    last_raw_ = step.last_raw();
    record_.measuring.trials = trials_before_ + simulation_.seconds_of_trials();
    step.energy_error = simulation_.energy_error();
    warn_of_energy_error(step.energy_error);
    warn_of_deepest_rung(step);
    add_step(record_, std::move(step));
    write_if_due();
    census_if_due();
    if (joules) record_.steps.back().joules = meter_.joules_of_all().value_or(*joules) - *joules;
    if (searching && simulation_.sizes_settled()) note_sizes();
    tables_->add(record_.steps.back());
    progress_.step(record_.steps.back(), fraction_done());
    checkpoint_if_due();
    last_step_seconds_ = wall_time() - began;
  }

  void warn_of_deepest_rung(const StepRecord& step) {
    if (warned_of_rung_ || step.block.rungs.size() < rung_count) return;
    warned_of_rung_ = true;
    progress_.message(fmt::format(
        "WARNING: {} particles take the shortest steps there are, 2^-{} of a block, and may want shorter ones: take a "
        "larger force.softening, or set time.min_step",
        step.block.rungs.back(), deepest_rung));
  }

  /// Long measurements report through the progress of the run.
  [[nodiscard]] MeasuringListener listener() {
    if (!comm_.root()) return {};
    return {[this](const std::string& text) { progress_.message(text); }};
  }

  void tell_of_force_error() {
    constexpr double worrying = 0.1;
    if (parameters_.output.error_sample == 0) return;
    const ErrorPercentiles& error = record_.errors.back().total;
    progress_.message("force error: " + percentiles_text(percentiles_json(error)));
    if (!(error.p99 > worrying)) return;
    progress_.message(
        error.knows_p99()
            ? fmt::format("WARNING: 1 % of the forces are off by more than {:.2g} of their size: see [force]",
                          error.p99)
            : fmt::format("WARNING: forces are off by up to {:.2g} of their size (median {:.2g} of {} particles): see "
                          "[force]",
                          error.max, error.median, error.sample));
  }

  void warn_of_energy_error(double error) {
    if (simulation_.comoving()) return;
    const bool points = parameters_.softening.softening == 0;  // their steps do not follow eta
    const std::string advice = (points ? "a" : fmt::format("a time.eta below {:g}, a", parameters_.time.eta)) +
                               " shorter time.max_dt or smaller errors of forces";
    const std::string warning =
        energy_warning(error, record_.worrying_energy_error, record_.steps.back(), simulation_.energy_scale(), advice);
    if (!warning.empty()) progress_.message(warning);
  }

  /// Charges the time since `began` to a phase of the last step.
  void charge(Phase phase, double began) {
    StepRecord& step = record_.steps.back();
    step.seconds[static_cast<std::size_t>(phase)] += wall_time() - began;
    step.note_speed(record_.particles);
  }

  /// Fraction of the way in ln a or time.
  [[nodiscard]] double fraction_done() const { return fraction_at(simulation_.time()); }
  [[nodiscard]] double fraction_at(double time) const {
    const double last = schedule_.last();
    if (last <= first_time_) return 1;
    return simulation_.comoving() ? std::log(time / first_time_) / std::log(last / first_time_)
                                  : (time - first_time_) / (last - first_time_);
  }

  void write_if_due() {
    if (!schedule_.due(simulation_.time())) return;
    const double began = wall_time();
    if (const std::uint32_t sample = parameters_.output.error_sample; sample > 0) {
      progress_.message(fmt::format("measuring the force error: {} of {} particles", sample, record_.particles));
    }
    sample_force_error(simulation_, parameters_, record_, listener());
    tell_of_force_error();
    const std::optional<HaloCatalogue> halos = seek_halos(simulation_, parameters_);
    charge(Phase::other, began);
    const double measured = wall_time();
    meter_.note(record_);
    write_output(simulation_, parameters_as_used(simulation_, parameters_), halos, record_);
    charge(Phase::io, measured);
    progress_.message(simulation_.comoving() ? fmt::format("wrote the output at z = {:.4g}", simulation_.redshift())
                                             : fmt::format("wrote the output at t = {:.6g}", simulation_.time()));
    report();
  }

  /// Census epochs are spread evenly over the run, its first and last step included. Ewald sums have no walks to count.
  void census_if_due() {
    const std::uint32_t epochs = parameters_.output.census_epochs;
    const PairLaw law = simulation_.pair_law();
    const bool walks = law.box_size == 0 || law.split.scale > 0;
    if (epochs == 0 || !walks || fraction_done() < next_census_) return;
    const double began = wall_time();
    progress_.message("counting effective interactions");
    take_census(simulation_, parameters_, last_raw_, record_, listener());
    charge(Phase::other, began);
    const double spacing = epochs > 1 ? 1.0 / (epochs - 1) : 2.0;
    while (next_census_ <= fraction_done()) next_census_ += spacing;
    if (next_census_ > 1 - 1e-9 && next_census_ < 1 + 1e-9) next_census_ = 1;
  }

  void note_memory() {
    record_.memory.host = std::max(record_.memory.host, comm_.max(static_cast<std::uint64_t>(peak_memory())));
    const auto device = static_cast<std::uint64_t>(choice_.backend->peak_device_memory());
    record_.memory.device = std::max(record_.memory.device, comm_.max(device));
  }

  void report() {
    meter_.note(record_);
    note_memory();
    together(comm_, [&] {
      if (comm_.root()) write_report(directory_, record_, parameters_as_used(simulation_, parameters_));
    });
  }

  void checkpoint() {
    const double began = wall_time();
    meter_.note(record_);
    tables_->sync();
    const nlohmann::json state{{"simulation", simulation_.state()},
                               {"record", to_json(record_)},
                               {"tables", tables_->counted()},
                               {"first_time", first_time_},
                               {"next_census", next_census_}};
    const std::uint64_t step = simulation_.step_count();
    const std::string parameters = with_run_id(run_id_, to_toml(parameters_));
    const std::string path =
        write_checkpoint(directory_, {simulation_.host_view(), parameters, json_text(state), step}, comm_);
    if (parameters_.run.checkpoints_kept == 1) keep_one_checkpoint(directory_, step, comm_);
    last_checkpoint_ = wall_time();
    checkpoint_seconds_ = last_checkpoint_ - began;
    record_.checkpoint = {checkpoint_seconds_, comm_.root() ? checkpoint_bytes(path) : 0};
    progress_.message(fmt::format("wrote {}: {}B in {}", path,
                                  with_prefix(static_cast<double>(record_.checkpoint->bytes)),
                                  duration(checkpoint_seconds_)));
  }

  void tell_of_measuring() {
    const MeasuringRecord& m = record_.measuring;
    if (!(m.total() > 0)) return;
    progress_.message(fmt::format(
        "measuring took {:.2g}% of the run: {} for force errors, {} for effective interactions, {} for slow "
        "sizes of groups and leaves",
        100 * m.total() / record_.wall_seconds, duration(m.errors), duration(m.census), duration(m.trials)));
  }

  /// The report first: a full disk shall not cost it.
  void end_with_checkpoint() {
    report();
    tell_of_measuring();
    checkpoint();
    report();
  }

  void checkpoint_if_due() {
    const double every = parameters_.run.checkpoint_every * units::seconds_per_hour;
    const bool due = comm_.root() && every > 0 && wall_time() - last_checkpoint_ >= every;
    if (comm_.any(due)) checkpoint();
  }

  [[nodiscard]] std::string reason_to_stop() const {
    const std::uint64_t most = parameters_.time.max_steps;
    if (most > 0 && simulation_.step_count() >= most) return fmt::format("time.max_steps = {} is reached", most);
    return stop_.reason(2 * (last_step_seconds_ + checkpoint_seconds_), comm_);
  }

  ExitCode stop_early(const std::string& reason) {
    end_with_checkpoint();
    progress_.finish();
    progress_.message(stopped_text(simulation_.step_count(), parameters_.time.max_steps, reason, directory_));
    return ExitCode::stopped;
  }

  Communicator comm_;
  Parameters parameters_;
  Progress& progress_;
  std::string directory_, run_id_;
  BackendChoice choice_;
  Simulation simulation_;
  double first_time_ = 0;
  OutputSchedule schedule_;
  StopRequest stop_;
  RunMeter meter_;
  RunRecord record_;
  std::optional<StepTables> tables_;
  std::uint64_t last_raw_ = 0;
  double last_step_seconds_ = 0;
  double checkpoint_seconds_ = 0;
  double next_census_ = 0;
  double trials_before_ = 0;  ///< the restart, in seconds
  double last_checkpoint_ = wall_time();
  bool warned_of_rung_ = false;
};

}  // namespace

ExitCode run_simulation(const RunRequest& request, const Communicator& comm) {
  const double began = wall_time();
  Beginning beginning = begin_run(request, comm);
  const RunDirectoryLock lock = std::move(beginning.lock);
  const RunParameters& asked = beginning.parameters.run;
  const int threads = default_threads(comm, threads_of_messages(beginning.direct_backend, comm));
  use_threads(asked.threads > 0 ? asked.threads : threads, "run.threads");
  const auto progress = together(comm, [&] {
    return comm.root() ? std::make_unique<Progress>(asked.directory, request.quiet) : std::make_unique<Progress>();
  });
  if (!beginning.warning.empty()) progress->message("WARNING: " + beginning.warning);
  MakingProgress making([&](const std::string& text) { progress->message(text); });
  make_particles(beginning, comm, making);
  if (is_direct(beginning.parameters)) return run_direct(std::move(beginning), comm, *progress, began);
  Run run(std::move(beginning), making.parts(), comm, *progress, began);
  return run();
}

void add_run_command(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand("run", "Run a simulation from a parameter file, or go on with one");
  auto request = std::make_shared<RunRequest>();
  command->add_option("parameters", request->parameter_file, "parameter file (TOML); see run/examples");
  command->add_option("--set", request->settings, "override a parameter, e.g. --set force.theta=0.5")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--restart", request->restart, "go on with the run in this directory");
  command->add_flag("--overwrite", request->overwrite, "replace an existing run in run.directory");
  command->add_flag("--quiet", request->quiet, "plain lines, no progress bar");
  command->footer("Exit code: 0 finished, 3 stopped early with a checkpoint, 1 failed.");
  command->callback([request, &exit_code] {
    if (request->parameter_file.empty() && request->restart.empty()) {
      throw SharedError("run: give a parameter file, e.g. run/examples/demo.toml, or --restart DIRECTORY");
    }
    if (request->overwrite && !request->restart.empty()) {
      throw SharedError("run: --restart goes on with a run, --overwrite replaces it: give one of them");
    }
    exit_code = run_simulation(*request, world_of_program());
  });
}

}  // namespace multiwalk
