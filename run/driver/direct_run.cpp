// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/driver/direct_run.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "decomposition/ranks/agree.hpp"
#include "decomposition/ring/ring_forces.hpp"
#include "host/base/error.hpp"
#include "host/base/units.hpp"
#include "host/direct/pair_counts.hpp"
#include "host/time/block_of_steps.hpp"
#include "ic/models/standard_units.hpp"
#include "run/driver/direct_state.hpp"
#include "run/evolve/energy_warning.hpp"
#include "run/evolve/model_bodies.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_output.hpp"
#include "run/machine/machine.hpp"
#include "run/machine/stop_request.hpp"
#include "run/machine/version.hpp"
#include "run/outputs/outputs.hpp"
#include "run/outputs/pictures.hpp"
#include "run/records/diagnostics.hpp"
#include "run/records/run_meter.hpp"
#include "run/records/step_history.hpp"
#include "run/records/step_tables.hpp"
#include "run/report/report.hpp"
#include "run/setup/run_identity.hpp"
#include "run/snapshots/checkpoint.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

namespace {

constexpr double look_interval = 0.5;  ///< s between looks for reasons to stop
/// diagnostics.hdf5 is written anew after so many seconds, and so many times the seconds of its last writing.
constexpr double write_interval = 10, write_share = 20;
/// Relative; what runs of clusters are held to (host/time/INTEGRATORS.md).
constexpr double first_worrying_energy_error = 1e-3;

/// What this rank did between two diagnostics, or before a stop between them.
struct Span {
  OwnFigures own;
  std::uint64_t pairs = 0, steps = 0, body_steps = 0;

  [[nodiscard]] nlohmann::json json() const {
    return {own.seconds, own.waiting, own.bytes_sent, pairs, steps, body_steps};
  }
  static Span from(const nlohmann::json& json) {
    Span span;
    json.at(0).get_to(span.own.seconds);
    json.at(1).get_to(span.own.waiting);
    json.at(2).get_to(span.own.bytes_sent);
    json.at(3).get_to(span.pairs);
    json.at(4).get_to(span.steps);
    json.at(5).get_to(span.body_steps);
    return span;
  }
};

class DirectRun {
 public:
  DirectRun(Beginning beginning, const Communicator& comm, Progress& progress, double began)
      : comm_(comm),
        parameters_(std::move(beginning.parameters)),
        progress_(progress),
        directory_(parameters_.run.directory),
        run_id_(std::move(beginning.run_id)),
        choice_(std::move(beginning.direct_backend)),
        forces_(*choice_.backend, comm),
        first_time_(beginning.first_time),
        schedule_(std::move(beginning.schedule)),
        stop_(directory_, parameters_.run.wall_limit * units::seconds_per_hour, began),
        meter_(choice_.metered, choice_.devices_in_all, began, comm) {
    progress_.message("back end: " + choice_.why);
    DirectState state;
    state.time = beginning.system.time;
    if (!beginning.is_new()) state = restore(beginning.state);
    state.rung = std::move(beginning.direct.rung);
    const DirectOptions options = direct_options(parameters_);
    if (beginning.is_new() && parameters_.model.kind == ModelKind::plummer) {
      evaluate_potential(options, beginning.direct.bodies, forces_);
      to_standard_units(beginning.direct.bodies, comm_);
    }
    if (comm_.alone() && !choice_.devices.empty()) stepper_ = cuda_block_stepper(choice_.devices.front());
    if (stepper_ && stepper_->takes(options, beginning.direct.bodies.size())) {
      progress_.message("block steps: made by the GPU alone, many in one launch");
    }
    integrator_ =
        make_direct_integrator(options, std::move(beginning.direct.bodies), std::move(state), forces_, stepper_.get());
    require_output_after_block();
    describe();
    const int rungs = options.steps == DirectSteps::block ? BlockOfSteps::deepest + 1 : 0;
    tables_.emplace(comm_, directory_, StepTables::Columns{true, rungs}, beginning.state);
    if (!tables_->warning().empty()) progress_.message("WARNING: " + tables_->warning());
  }

  ExitCode operator()() {
    if (record_.steps.empty()) {
      progress_.message(fmt::format("{} bodies, {} pairs a step of all", record_.particles,
                                    static_cast<double>(record_.particles) * static_cast<double>(record_.particles)));
      begin_span();
      integrator_->start();
      arrive();
    }
    begin_span();
    double to = next_stop();
    while (integrator_->time() < schedule_.last()) {
      if (const std::string reason = most_steps_made(); !reason.empty()) return stop_early(reason);
      steps_ += integrator_->steps(to, steps_before_look());
      if (integrator_->time() >= to) {  // before a checkpoint, which would else go on without what is due here
        arrive();
        begin_span();
        if (integrator_->time() >= schedule_.last()) break;
        to = next_stop();
      }
      const std::string reason = look();
      if (!reason.empty()) return stop_early(reason);
    }
    end_with_checkpoint();
    progress_.finish();
    progress_.message(fmt::format("finished: {} steps, report in {}/report.html", steps_, directory_));
    return ExitCode::ok;
  }

 private:
  DirectState restore(const nlohmann::json& state) {
    record_ = record_from_json(state.at("record"));
    meter_.go_on_from(record_);
    steps_ = looked_ = state.at("steps");
    // The counts are of all ranks: only one may add them again.
    earlier_ = comm_.root() ? Span::from(state.at("span")) : Span();
    if (record_.threads != threads() || record_.backend != backend_text() || record_.ranks != comm_.size()) {
      progress_.message(fmt::format(
          "WARNING: the checkpoint was made with {} threads on each of {} ranks on {}; going on otherwise may differ "
          "in the last bits",
          record_.threads, record_.ranks, record_.backend));
    }
    return state_from_json(state.at("integrator"));
  }

  [[nodiscard]] int threads() const {
    return parameters_.run.threads > 0 ? parameters_.run.threads : omp_get_max_threads();
  }
  [[nodiscard]] std::string backend_text() const {
    return fmt::format("{} ({})", choice_.backend->name(), choice_.backend->description());
  }

  void describe() {
    record_.version = version_short();
    record_.machine = machine_description(comm_);
    record_.backend = backend_text();
    if (record_.started.empty()) record_.started = now_as_text();
    if (record_.worrying_energy_error == 0) record_.worrying_energy_error = first_worrying_energy_error;
    record_.threads = threads();
    record_.ranks = comm_.size();
    record_.devices = choice_.devices_in_all;
    record_.particles = comm_.sum(static_cast<std::uint64_t>(integrator_->bodies().size()));
    record_.comoving = false;
    record_.operations_per_pair = operations_of_pair(parameters_.time.integrator == DirectScheme::hermite);
  }

  /// Where the block of steps under way ends; the present time between blocks.
  [[nodiscard]] double block_end() const {
    return integrator_->state().tick > 0 ? integrator_->state().block_end : integrator_->time();
  }

  /// Bodies stand together at the end of a block only, which a checkpoint may have cut.
  void require_output_after_block() const {
    const double now = integrator_->time(), end = block_end();
    const double output = schedule_.next(now).value_or(schedule_.last());
    if (output >= end) return;
    throw SharedError(fmt::format(
        "--restart {}: the checkpoint, at t = {}, lies in a block of steps that ends at {}: neither output.times nor "
        "time.t_end may newly lie between, as {} does",
        directory_, now, end, output));
  }

  /// Automatic ones come after whole fixed steps, so that these are as long as was asked.
  [[nodiscard]] double diagnostics_every() const {
    const double given = parameters_.output.diagnostics_every, hundredth = (schedule_.last() - first_time_) / 100;
    if (given > 0) return given;
    const DirectOptions options = direct_options(parameters_);
    if (options.steps != DirectSteps::fixed) return hundredth;
    return options.step * std::max(1.0, std::round(hundredth / options.step));
  }

  /// The next diagnostics or output, whichever comes first.
  [[nodiscard]] double next_stop() const {
    const double every = diagnostics_every();
    const double now = integrator_->time();
    const double output = schedule_.next(now).value_or(schedule_.last());
    const double diagnostics = first_time_ + (std::floor((now - first_time_) / every + 1e-9) + 1) * every;
    return std::max(block_end(), diagnostics < output - 1e-9 * every ? diagnostics : output);
  }

  /// At `time` all bodies stand together: diagnostics, a row of the record, outputs.
  void arrive() {
    const double measured = outside_forces();
    integrator_->evaluate_potential();
    const Diagnostics here = measure_diagnostics(integrator_->bodies(), integrator_->time(), comm_);
    require_finite(here.energy(), here.time);
    const double error = check_energy(here);
    measuring_ = outside_forces() - measured;
    StepRecord step = end_span();
    step.energy_error = error;
    step.diagnostics = here;
    add_step(record_, std::move(step));
    if (schedule_.due(integrator_->time())) write_output();
    tables_->add(record_.steps.back());
    write_diagnostics_if_due();
    progress_.step(record_.steps.back(), fraction_done());
  }

  /// Its error relative to the first; warns of a large one.
  double check_energy(const Diagnostics& here) {
    if (!record_.has_diagnostics()) return 0;
    const EnergySums first = record_.steps.front().diagnostics.value().energy(), now = here.energy();
    const double error = energy_error(first, now);
    const DirectOptions options = direct_options(parameters_);
    const std::string advice =
        options.steps == DirectSteps::fixed ? fmt::format("a time.max_dt below {:g}", options.step)
        : record_.steps.size() == 1  // the first steps were made since
            ? fmt::format("a time.eta_start below {:g} and a time.eta below {:g}", options.eta_start, options.eta)
            : fmt::format("a time.eta below {:g}", options.eta);
    const std::string warning = energy_warning(error, record_.worrying_energy_error, record_.steps.back(),
                                               energy_scale(first, now).name, advice);
    if (!warning.empty()) progress_.message(warning);
    return error;
  }

  void begin_span() {
    counted_ = forces_.counts();
    counted_bodies_ = integrator_->counts().body_steps;
    counted_steps_ = steps_;
    sent_ = Communicator::bytes_sent();
    span_began_ = outside_forces();
    measuring_ = 0;
  }

  /// A clock that stands still during summations.
  [[nodiscard]] double outside_forces() const {
    return wall_time() - forces_.counts().summing - forces_.counts().waiting;
  }

  /// From begin_span till now, with what an earlier program did of it before it was stopped.
  [[nodiscard]] Span span() const {
    const DirectForceCounts& counts = forces_.counts();
    Span span = earlier_;
    span.pairs += counts.pairs - counted_.pairs;
    span.steps += steps_ - counted_steps_;
    span.body_steps += integrator_->counts().body_steps - counted_bodies_;
    const double waiting = counts.waiting - counted_.waiting;
    const auto charge = [&](Phase phase, double seconds) {
      span.own.seconds[static_cast<std::size_t>(phase)] += seconds;
    };
    charge(Phase::device, counts.summing - counted_.summing);
    charge(Phase::let, waiting);
    charge(Phase::other, measuring_);
    charge(Phase::integration, outside_forces() - span_began_ - measuring_);
    span.own.waiting += waiting;
    span.own.bytes_sent += static_cast<double>(Communicator::bytes_sent() - sent_);
    span.own.work = static_cast<double>(span.pairs);
    span.own.particles = static_cast<double>(integrator_->bodies().size());
    return span;
  }

  /// Collective.
  StepRecord end_span() {
    const Span mine = span();
    earlier_ = {};
    StepRecord step;
    step.step = steps_;
    step.time = integrator_->time();
    step.ranks = over_ranks(comm_, mine.own);
    step.seconds = step.ranks.mean_seconds();
    step.raw.particle_pairs = comm_.sum(mine.pairs);
    step.imbalance = step.ranks.busy.imbalance();
    step.block.substeps = comm_.max(mine.steps);
    step.block.evaluations = comm_.sum(mine.body_steps);
    step.block.last_raw = step.raw.particle_pairs;
    step.block.rungs = rungs();
    step.particles_per_second = static_cast<double>(step.block.evaluations) / std::max(total(step.seconds), 1e-12);
    return step;
  }

  /// Bodies of all ranks on each rung; none without blocks.
  [[nodiscard]] std::vector<std::uint64_t> rungs() const {
    std::vector<std::uint64_t> bodies(64);
    for (const std::uint8_t rung : integrator_->state().rung) ++bodies[rung];
    comm_.sum(std::span<std::uint64_t>(bodies));
    while (!bodies.empty() && bodies.back() == 0) bodies.pop_back();
    return bodies;
  }

  [[nodiscard]] double fraction_done() const {
    const double last = schedule_.last();
    return last > first_time_ ? (integrator_->time() - first_time_) / (last - first_time_) : 1;
  }

  void write_output() {
    const double began = wall_time();
    meter_.note(record_);
    ParticleSystem system = particles_of(integrator_->bodies(), integrator_->time(), comm_);
    if (parameters_.output.accelerations) {
      std::ranges::transform(integrator_->present_accelerations(), system.particles.acceleration.begin(),
                             [](const Vec3d& a) { return static_cast<Vec3f>(a); });
    }
    OutputRecord output;
    output.time = integrator_->time();
    const std::string number = fmt::format("{:03d}", record_.outputs.size());
    if (parameters_.output.snapshots) {
      SnapshotOptions options = snapshot_options(parameters_, parameters_.softening.softening);
      options.accelerations = parameters_.output.accelerations;
      options.run["step"] = static_cast<std::int64_t>(steps_);
      options.run["ranks"] = static_cast<std::int64_t>(record_.ranks);
      options.run["backend"] = record_.backend;
      options.run["wall_seconds"] = record_.wall_seconds;
      options.run["energy_error"] = record_.steps.back().energy_error;
      output.snapshots =
          write_snapshot(directory_ + "/snapshot_" + number, system, parameters_.cosmology, options, comm_);
    }
    if (parameters_.output.images) {
      output.image = directory_ + "/image_" + number + ".png";
      const std::vector<std::uint8_t> png = draw_system(system, parameters_.output.image_pixels, 2, comm_);
      together(comm_, [&] {
        if (comm_.root()) write_file_atomically(output.image, {reinterpret_cast<const char*>(png.data()), png.size()});
      });
    }
    record_.outputs.push_back(std::move(output));
    progress_.message(fmt::format("wrote the output at t = {:.6g}", integrator_->time()));
    record_.steps.back().seconds[static_cast<std::size_t>(Phase::io)] += wall_time() - began;
    report();
  }

  void write_diagnostics() {
    const double began = wall_time();
    tables_->write_diagnostics(directory_ + "/diagnostics.hdf5");
    last_diagnostics_ = wall_time();
    diagnostics_interval_ = std::max(write_interval, write_share * (last_diagnostics_ - began));
  }
  void write_diagnostics_if_due() {
    if (comm_.any(comm_.root() && wall_time() - last_diagnostics_ >= diagnostics_interval_)) write_diagnostics();
  }

  /// At least 1.
  [[nodiscard]] std::uint64_t steps_before_look() const {
    const std::uint64_t done = steps_ - looked_, most = parameters_.time.max_steps;
    const std::uint64_t left = steps_between_looks_ > done ? steps_between_looks_ - done : 1;
    return most > steps_ ? std::min(left, most - steps_) : left;
  }

  [[nodiscard]] std::string most_steps_made() const {
    const std::uint64_t most = parameters_.time.max_steps;
    return most > 0 && steps_ >= most ? fmt::format("time.max_steps = {} is reached", most) : "";
  }

  /// Now and then: writes a checkpoint if one is due, and tells why to stop; the same on every rank.
  std::string look() {
    if (steps_ - looked_ < steps_between_looks_) return "";
    const double since = comm_.max(wall_time() - last_look_);
    const double step_seconds = since / static_cast<double>(steps_ - looked_);
    steps_between_looks_ = static_cast<std::uint64_t>(std::clamp(look_interval / step_seconds, 1.0, 65536.0));
    looked_ = steps_;
    last_look_ = wall_time();
    const double every = parameters_.run.checkpoint_every * units::seconds_per_hour;
    const bool due = comm_.root() && every > 0 && wall_time() - last_checkpoint_ >= every;
    if (comm_.any(due)) checkpoint();
    return stop_.reason(2 * (std::max(step_seconds, look_interval) + checkpoint_seconds_), comm_);
  }

  void report() {
    meter_.note(record_);
    together(comm_, [&] {
      if (comm_.root()) write_report(directory_, record_, parameters_);
    });
  }

  void checkpoint() {
    const double began = wall_time();
    require_finite(integrator_->bodies(), integrator_->time(), comm_);
    meter_.note(record_);
    tables_->sync();
    Span all = span();
    all.pairs = comm_.sum(all.pairs);
    all.body_steps = comm_.sum(all.body_steps);
    const nlohmann::json state{{"integrator", state_json(integrator_->state())},
                               {"record", to_json(record_)},
                               {"tables", tables_->counted()},
                               {"first_time", first_time_},
                               {"steps", steps_},
                               {"span", all.json()}};
    ParticleSystem system;
    system.frame = Frame::newtonian;
    system.time = integrator_->time();
    CheckpointView run(system, with_run_id(run_id_, to_toml(parameters_)), json_text(state), steps_);
    run.bodies = &integrator_->bodies();
    run.rung = &integrator_->state().rung;
    const std::string path = write_checkpoint(directory_, run, comm_);
    if (parameters_.run.checkpoints_kept == 1) keep_one_checkpoint(directory_, steps_, comm_);
    progress_.message("wrote " + path);
    last_checkpoint_ = wall_time();
    checkpoint_seconds_ = last_checkpoint_ - began;
    record_.checkpoint = {checkpoint_seconds_, comm_.root() ? checkpoint_bytes(path) : 0};
  }

  /// The report first: a full disk shall not cost it.
  void end_with_checkpoint() {
    require_finite(integrator_->bodies(), integrator_->time(), comm_);
    write_diagnostics();
    report();
    checkpoint();
    report();
  }

  ExitCode stop_early(const std::string& reason) {
    end_with_checkpoint();
    progress_.finish();
    progress_.message(stopped_text(steps_, parameters_.time.max_steps, reason, directory_));
    return ExitCode::stopped;
  }

  Communicator comm_;
  Parameters parameters_;
  Progress& progress_;
  std::string directory_, run_id_;
  DirectBackendChoice choice_;
  RingForces forces_;
  std::unique_ptr<BlockStepper> stepper_;  ///< null: the host makes block steps
  std::unique_ptr<DirectIntegrator> integrator_;
  double first_time_;
  OutputSchedule schedule_;
  StopRequest stop_;
  RunMeter meter_;
  RunRecord record_;
  std::optional<StepTables> tables_;
  std::uint64_t steps_ = 0;

  // Of the span under way.
  Span earlier_;
  DirectForceCounts counted_;
  std::uint64_t counted_bodies_ = 0, counted_steps_ = 0, sent_ = 0;
  double span_began_ = 0, measuring_ = 0;

  std::uint64_t looked_ = 0, steps_between_looks_ = 1;
  double last_look_ = wall_time();
  double last_diagnostics_ = wall_time(), diagnostics_interval_ = write_interval;
  double last_checkpoint_ = wall_time();
  double checkpoint_seconds_ = 0;
};

}  // namespace

ExitCode run_direct(Beginning beginning, const Communicator& comm, Progress& progress, double began) {
  DirectRun run(std::move(beginning), comm, progress, began);
  return run();
}

}  // namespace multiwalk
