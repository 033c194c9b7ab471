// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/driver/run.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "decomposition/ranks/agree.hpp"
#include "host/base/peak_memory.hpp"
#include "host/base/units.hpp"
#include "run/driver/direct_evolution.hpp"
#include "run/driver/tree_evolution.hpp"
#include "run/evolve/energy_warning.hpp"
#include "run/files/json_output.hpp"
#include "run/files/number_text.hpp"
#include "run/machine/machine.hpp"
#include "run/machine/version.hpp"
#include "run/records/step_history.hpp"
#include "run/report/report.hpp"
#include "run/setup/output_kinds.hpp"
#include "run/setup/run_identity.hpp"

namespace multiwalk {

namespace {

/// diagnostics.hdf5 is written again after this many seconds or, if longer, this many times the last writing's seconds.
constexpr double write_interval = 10, write_share = 20;

/// Energy counters of devices are read once a second at most, since a reading takes as long as a short step.
constexpr double oldest_joules = 1;

}  // namespace

Run::Run(RunSetup setup, const std::vector<PartSeconds>& making, const Communicator& comm, Progress& progress,
         double began)
    : comm_(comm),
      parameters_(setup.parameters),
      progress_(progress),
      directory_(parameters_.run.directory),
      run_id_(setup.run_id),
      first_time_(setup.first_time),
      schedule_(setup.schedule),
      stop_(directory_, parameters_.run.wall_limit * units::seconds_per_hour, began, setup.catch_signals),
      next_diagnostics_(wall_time() + write_interval) {
  const bool direct = is_direct(parameters_);
  meter_ = direct ? std::make_unique<RunMeter>(setup.direct_backend.metered, setup.direct_backend.devices_in_all, began,
                                               comm)
                  : std::make_unique<RunMeter>(setup.backend.metered, setup.backend.devices_in_all, began, comm);
  record_.initial_conditions = making;
  if (!setup.is_new()) {
    record_ = record_from_json(setup.state.at("record"));
    meter_->go_on_from(record_);
  }
  const RunRecord earlier = record_;
  evolution_ = direct ? make_direct_evolution(setup, parameters_, record_, comm, progress)
                      : make_tree_evolution(setup, parameters_, record_, comm, progress);
  record_.version = version_short();
  record_.machine = machine_description(comm_);
  record_.ranks = comm_.size();
  if (record_.started.empty()) record_.started = now_as_text();
  evolution_->describe(record_);
  if (!setup.is_new()) warn_of_changes(earlier);
  tables_.emplace(comm_, directory_, evolution_->columns(), setup.state);
  if (!tables_->warning().empty()) progress_.message("WARNING: " + tables_->warning());
  prepare_outputs(setup);
  checkpoint_exists_ = !setup.is_new();
  safe_step_ = evolution_->step_count();
  evolution_->watch_blocks([this](const BlockMoment& moment) { return abandons(moment); });
  if (!setup.is_new()) warn_of_passed_outputs();
  first_step_ = evolution_->step_count();
  if (setup.finished) {
    record_.finished = true;
    ended_ = ExitCode::ok;
  }
}

void Run::warn_of_passed_outputs() {
  const std::string passed = passed_outputs(schedule_, outputs_->own_times(), record_, evolution_->time());
  if (!passed.empty()) progress_.message("WARNING: their time has passed, they will not be written: " + passed);
}

void Run::prepare_outputs(RunSetup& setup) {
  const ParticleSystem& system = is_direct(parameters_) ? setup.system : evolution_->view().particles.on_host();
  StoredOutputs stored;
  if (!setup.is_new()) stored = {setup.state.value("outputs", nlohmann::json()), std::move(setup.blobs)};
  outputs_.emplace(output_kinds(),
                   OutputSetup{.parameters = parameters_,
                               .system = system,
                               .comm = comm_,
                               .schedule = schedule_,
                               .record = record_,
                               .first_time = first_time_,
                               .step = evolution_->step_count(),
                               .restart = !setup.is_new(),
                               .tell = [this](const std::string& text) { progress_.message(text); }},
                   std::move(stored));
  for (DriftObserver* const observer : outputs_->drift_observers()) evolution_->observe_drifts(observer);
}

ExitCode Run::operator()() {
  outputs_->allow_work_aside();  // between calls of advance() others may use HDF5
  while (advance()) {
  }
  return *ended_;
}

bool Run::advance() {
  if (ended_) return false;
  outputs_->check();
  if (!started_) {
    started_ = true;
    if (std::optional<StepRecord> row = evolution_->start()) finish(std::move(*row));
    return true;
  }
  if (evolution_->time() >= schedule_.last()) {
    end();
    return false;
  }
  require_steps_left();
  if (const std::string reason = reason_to_stop(); !reason.empty()) {
    stop_early(reason);
    return false;
  }
  const double began = wall_time();
  if (!row_joules_) row_joules_ = meter_->joules_of_all();
  const std::uint64_t most = parameters_.time.max_steps;
  const std::uint64_t left = most > 0 ? most - evolution_->step_count() : 0;
  if (std::optional<StepRecord> row = evolution_->advance(schedule_, left)) {
    finish(std::move(*row));
  } else if (!why_abandoned_.empty()) {
    evolution_->synchronised() ? stop_early(why_abandoned_) : stop_between_times(why_abandoned_);
    return false;
  } else {
    progress_.alive(fmt::format("step {}  {:.1f}%", evolution_->step_count(), 100 * fraction_done()));
  }
  checkpoint_if_due();
  last_advance_seconds_ = wall_time() - began;
  return true;
}

void Run::end() {
  write_end();
  // Light cones and trees remove files of their state when a checkpoint makes them superfluous.
  if (parameters_.run.final_checkpoint || !outputs_->own_times().empty()) {
    checkpoint();
  } else {
    tables_->sync();
  }
  progress_.finish();
  record_.finished = true;
  report();
  progress_.milestone(
      fmt::format("finished: {} steps, report in {}/report.html", evolution_->step_count(), directory_));
  ended_ = ExitCode::ok;
}

void Run::warn_of_changes(const RunRecord& earlier) {
  if (earlier.threads != record_.threads || earlier.backend != record_.backend) {
    progress_.message(
        fmt::format("WARNING: the checkpoint was made with {} threads on {}; going on with {} threads on "
                    "{} may differ in the last bits",
                    earlier.threads, earlier.backend, record_.threads, record_.backend));
  }
  if (earlier.ranks != record_.ranks) {
    progress_.message(
        fmt::format("WARNING: the checkpoint was made on {} ranks; going on with {} will differ in the "
                    "last bits",
                    earlier.ranks, record_.ranks));
  }
}

void Run::finish(StepRecord row) {
  warn_of_energy_error(row.energy_error);
  add_step(record_, std::move(row));
  write_outputs_if_due();
  const double began = wall_time();
  evolution_->measure_step(record_, fraction_done());
  charge(Phase::other, began);
  if (row_joules_) {
    const double joules = meter_->joules_of_all(oldest_joules).value_or(*row_joules_);
    record_.steps.back().joules = joules - *row_joules_;
    row_joules_ = joules;
  }
  tables_->add(record_.steps.back());
  if (evolution_->columns().diagnostics && comm_.any(comm_.root() && wall_time() >= next_diagnostics_)) {
    write_diagnostics();
  }
  progress_.step(record_.steps.back(), fraction_done());
}

void Run::warn_of_energy_error(double error) {
  const std::string advice = evolution_->energy_advice(record_);
  if (record_.steps.empty() || advice.empty()) return;
  const std::string warning =
      energy_warning(error, record_.worrying_energy_error, record_.steps.back(), evolution_->energy_scale(), advice);
  if (!warning.empty()) progress_.message(warning);
}

void Run::charge(Phase phase, double began) {
  StepRecord& step = record_.steps.back();
  step.seconds[static_cast<std::size_t>(phase)] += wall_time() - began;
  step.update_speed(record_.particles);
}

double Run::fraction_done() const {
  const double now = evolution_->time(), last = schedule_.last();
  if (last <= first_time_) return 1;
  return evolution_->comoving() ? std::log(now / first_time_) / std::log(last / first_time_)
                                : (now - first_time_) / (last - first_time_);
}

SnapshotAttributes Run::run_attributes() const {
  SnapshotAttributes run{{"step", static_cast<std::int64_t>(evolution_->step_count())},
                         {"ranks", static_cast<std::int64_t>(record_.ranks)},
                         {"threads", static_cast<std::int64_t>(record_.threads)},
                         {"devices", static_cast<std::int64_t>(record_.devices)},
                         {"backend", record_.backend},
                         {"wall_seconds", record_.wall_seconds},
                         {"energy_error", record_.steps.back().energy_error}};
  if (!record_.errors.empty()) {
    run["force_error_median"] = record_.errors.back().total.median;
    if (record_.errors.back().total.knows_p99()) run["force_error_p99"] = record_.errors.back().total.p99;
  }
  return run;
}

void Run::write_outputs_if_due() {
  const bool at_output = schedule_.due(evolution_->time()).has_value(), own = outputs_->due(evolution_->time());
  if (!at_output && !own) return;
  double began = wall_time();
  outputs_->wait();
  if (at_output) evolution_->measure_output(record_, evolution_->time() == schedule_.last());
  const Parameters parameters = evolution_->parameters_as_used();
  const EvolutionView view = evolution_->view();
  OutputMoment moment{.comm = comm_,
                      .parameters = parameters,
                      .particles = view.particles,
                      .domains = view.domains,
                      .trails = view.trails,
                      .softening = view.softening,
                      .background = view.background,
                      .force_mesh = view.force_mesh,
                      .number = record_.outputs.size()};
  if (at_output) {
    write_output(moment, began);
    began = wall_time();
  }
  if (!own) return;
  outputs_->write_due(moment, record_.running_outputs);
  charge(Phase::other, began);
}

void Run::write_output(OutputMoment& moment, double began) {
  outputs_->find_halos(moment);
  charge(Phase::other, began);
  const double measured = wall_time();
  meter_->update(record_);
  moment.run = run_attributes();
  record_.outputs.push_back(outputs_->write(moment));
  charge(Phase::io, measured);
  const OutputRecord& written = record_.outputs.back();
  progress_.milestone(fmt::format(
      "wrote the output at {}, step {}, {:.0f}% of the run",
      evolution_->comoving() ? fmt::format("z = {:.4g}", written.z) : fmt::format("t = {:.6g}", written.time),
      evolution_->step_count(), 100 * fraction_done()));
  report();
}

void Run::write_diagnostics() {
  outputs_->wait();
  const double began = wall_time();
  tables_->write_diagnostics(directory_ + "/diagnostics.hdf5");
  const double now = wall_time();
  next_diagnostics_ = now + std::max(write_interval, write_share * (now - began));
}

void Run::report() {
  meter_->update(record_);
  record_.memory.host = std::max(record_.memory.host, comm_.max(static_cast<std::uint64_t>(peak_memory())));
  record_.memory.device = std::max(record_.memory.device, comm_.max(evolution_->peak_device_memory()));
  collectively(comm_, [&] {
    if (comm_.root()) write_report(directory_, record_, evolution_->parameters_as_used());
  });
}

void Run::checkpoint() {
  outputs_->wait();
  const double began = wall_time();
  evolution_->require_finite();
  meter_->update(record_);
  tables_->sync();
  const std::uint64_t step = evolution_->step_count();
  const StoredOutputs outputs = outputs_->save(step);
  nlohmann::json state = evolution_->state();
  state.update({{"outputs", outputs.json},
                {"record", to_json(record_)},
                {"tables", tables_->counted()},
                {"first_time", first_time_}});
  state["linear_power"] = parameters_.power.value_or(PowerFacts{});
  CheckpointView view = evolution_->checkpoint_view(with_run_id(run_id_, to_toml(parameters_)), json_text(state));
  view.blobs = &outputs.blobs;
  const std::string path = write_checkpoint(directory_, view, comm_);
  if (parameters_.run.checkpoints_kept == 1) keep_one_checkpoint(directory_, step, comm_);
  outputs_->checkpoint_written();
  checkpoint_exists_ = true;
  safe_step_ = step;
  last_checkpoint_ = wall_time();
  checkpoint_seconds_ = last_checkpoint_ - began;
  record_.checkpoint = {checkpoint_seconds_, comm_.root() ? checkpoint_bytes(path) : 0};
  progress_.message(fmt::format("wrote {}: {}B in {}", path,
                                with_prefix(static_cast<double>(record_.checkpoint->bytes)),
                                duration(checkpoint_seconds_)));
}

void Run::checkpoint_if_due() {
  const double every = parameters_.run.checkpoint_every * units::seconds_per_hour;
  const bool due = comm_.root() && every > 0 && wall_time() - last_checkpoint_ >= every;
  if (comm_.any(due)) checkpoint();
}

double Run::bytes_to_write() const {
  constexpr double checkpoint_row = 96, snapshot_row = 48;
  const double now = evolution_->time();
  const auto outputs = std::ranges::count_if(schedule_.times(), [now](double time) { return time >= now; });
  const auto particles = static_cast<double>(record_.particles);
  const double snapshots = parameters_.output.snapshots ? static_cast<double>(outputs) * snapshot_row : 0;
  return particles * (2 * checkpoint_row + snapshots);
}

void Run::write_end() {
  evolution_->require_finite();
  report();  // first, so that a full disk cannot prevent it
  if (evolution_->columns().diagnostics) write_diagnostics();
  outputs_->finish(record_.wall_seconds, [this](const std::string& text) { progress_.message(text); });
  if (const MeasuringRecord& m = record_.measuring; m.total() > 0) {
    progress_.message(fmt::format(
        "measuring took {:.2g}% of the run: {} for force errors, {} for effective interactions, {} for slow "
        "sizes of groups and leaves",
        100 * m.total() / record_.wall_seconds, duration(m.errors), duration(m.census), duration(m.trials)));
  }
}

std::string Run::reason_to_stop() const {
  const std::uint64_t most = parameters_.time.max_steps;
  if (most > 0 && evolution_->step_count() >= most) return fmt::format("time.max_steps = {} is reached", most);
  return stop_.reason(2 * (last_advance_seconds_ + checkpoint_seconds_ + outputs_->longest_work()), comm_);
}

/// A job script that queues the rest of its run would do so for ever.
void Run::require_steps_left() const {
  const std::uint64_t most = parameters_.time.max_steps, made = evolution_->step_count();
  if (most == 0 || made < most || made != first_step_) return;
  throw SharedError(
      fmt::format("time.max_steps = {} was reached before: there is nothing to do; continue with: "
                  "multiwalk run --restart {} --set time.max_steps=0",
                  most, directory_));
}

bool Run::abandons(const BlockMoment& moment) {
  constexpr double interval = 0.2;            // s, between looks
  constexpr double patience = 10;             // s that the end of a block may be away if its start is kept
  constexpr double patience_at_a_loss = 600;  // if it is not, and work would be lost
  const double now = wall_time();
  if (!comm_.any(comm_.root() && now - last_look_ >= interval)) return false;
  last_look_ = now;
  if (listen_) listen_();
  const double left = moment.seconds * (1 - moment.done) / moment.done;
  progress_.alive(fmt::format("step {}  substep {}, {:.3g}% of a block of steps, about {} to its end",
                              evolution_->step_count() + 1, moment.substeps, 100 * moment.done, duration(left)));
  const std::string reason = stop_.reason(2 * checkpoint_seconds_, comm_);
  if (reason.empty()) return false;
  const bool costs_nothing = moment.kept || evolution_->step_count() == safe_step_;
  const bool far = left > (costs_nothing ? patience : patience_at_a_loss);
  if (!comm_.any(comm_.root() && far)) return false;
  why_abandoned_ = reason;
  return true;
}

void Run::stop_between_times(const std::string& reason) {
  outputs_->wait();
  report();
  tables_->sync();
  progress_.finish();
  progress_.milestone(fmt::format(
      "stopped within the block of steps after step {} because {}: its end was far, and its start had not been kept; "
      "{} with: multiwalk run --restart {}",
      evolution_->step_count(), reason,
      checkpoint_exists_ ? "continue from the last checkpoint" : "no checkpoint has been written: start again",
      directory_));
  why_stopped_ = reason;
  ended_ = ExitCode::stopped;
}

void Run::stop_early(const std::string& reason) {
  write_end();
  checkpoint();
  report();
  progress_.finish();
  progress_.milestone(stopped_text(evolution_->step_count(), parameters_.time.max_steps, reason, directory_));
  why_stopped_ = reason;
  ended_ = ExitCode::stopped;
}

}  // namespace multiwalk
