// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/driver/direct_evolution.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "decomposition/ring/ring_forces.hpp"
#include "host/base/error.hpp"
#include "host/direct/pair_counts.hpp"
#include "host/time/block_ticks.hpp"
#include "ic/models/standard_units.hpp"
#include "run/driver/direct_span.hpp"
#include "run/driver/direct_state.hpp"
#include "run/evolve/model_bodies.hpp"
#include "run/files/json_input.hpp"

namespace multiwalk {

namespace {

constexpr double look_interval = 0.5;  ///< s that one advance takes
/// The relative energy error that runs of clusters should not exceed (host/time/INTEGRATORS.md).
constexpr double worrying_energy_error_of_bodies = 1e-3;

class DirectEvolution final : public Evolution {
 public:
  DirectEvolution(RunSetup& setup, const Parameters& parameters, const RunRecord& record, const Communicator& comm,
                  Progress& progress)
      : comm_(comm),
        parameters_(parameters),
        options_(direct_options(parameters_)),
        progress_(progress),
        choice_(std::move(setup.direct_backend)),
        forces_(*choice_.backend, comm),
        first_time_(setup.first_time),
        last_time_(setup.schedule.last()) {
    progress_.message("back end: " + choice_.why);
    DirectState state;
    state.time = setup.system.time;
    if (!setup.is_new()) state = restore(setup.state, record);
    state.rung = std::move(setup.direct.rung);
    Bodies bodies = std::move(setup.direct.bodies);
    if (setup.is_new() && parameters_.model.kind == ModelKind::plummer) {
      evaluate_potential(options_, bodies, forces_);
      to_standard_units(bodies, comm_);
    }
    if (comm_.alone() && !choice_.devices.empty()) stepper_ = cuda_block_stepper(choice_.devices.front());
    if (stepper_ && stepper_->takes(options_, bodies.size())) {
      progress_.message("block steps: made by the GPU alone, many in one launch");
    }
    integrator_ = make_direct_integrator(options_, std::move(bodies), std::move(state), forces_, stepper_.get());
    require_output_after_block(setup.schedule);
    const auto all = comm_.sum(static_cast<std::uint64_t>(integrator_->bodies().size()));
    if (parameters_.output.images && all <= BodyTrails::most_bodies) trails_.emplace();
    keep_trails();
  }

  void describe(RunRecord& record) const override {
    record.backend = fmt::format("{} ({})", choice_.backend->name(), choice_.backend->description());
    record.threads = parameters_.run.threads > 0 ? parameters_.run.threads : omp_get_max_threads();
    record.devices = choice_.devices_in_all;
    record.particles = comm_.sum(static_cast<std::uint64_t>(integrator_->bodies().size()));
    record.comoving = false;
    record.operations_per_pair = operations_of_pair(parameters_.time.integrator == DirectScheme::hermite);
    if (record.worrying_energy_error == 0) record.worrying_energy_error = worrying_energy_error_of_bodies;
  }

  [[nodiscard]] StepTables::Columns columns() const override {
    return {true, options_.steps == DirectSteps::block ? BlockTicks::deepest + 1 : 0};
  }
  [[nodiscard]] Parameters parameters_as_used() const override { return parameters_; }

  [[nodiscard]] double time() const override { return integrator_->time(); }
  [[nodiscard]] bool comoving() const override { return false; }
  [[nodiscard]] std::uint64_t step_count() const override { return steps_; }
  [[nodiscard]] std::uint64_t peak_device_memory() const override { return 0; }

  [[nodiscard]] EvolutionView view() override {
    view_ = particles_of(integrator_->bodies(), time(), comm_);
    if (parameters_.output.accelerations) {
      std::ranges::transform(integrator_->present_accelerations(), view_.particles.acceleration.begin(),
                             [](const Vec3d& a) { return static_cast<Vec3f>(a); });
    }
    return {.particles = view_, .softening = parameters_.softening.softening, .trails = trails_ ? &*trails_ : nullptr};
  }

  std::optional<StepRecord> start() override {
    if (is_recorded_) return std::nullopt;
    const auto bodies = static_cast<double>(comm_.sum(static_cast<std::uint64_t>(integrator_->bodies().size())));
    progress_.message(fmt::format("{:.0f} bodies, {} pairs in a step of all bodies", bodies, bodies * bodies));
    begin_span();
    integrator_->start();
    return arrive();
  }

  std::optional<StepRecord> advance(const OutputSchedule& schedule, std::uint64_t most) override {
    view_ = {};
    if (!in_span_) begin_span();
    const double to = next_stop(schedule), began = wall_time();
    const std::uint64_t chosen = most > 0 ? std::min(most, steps_at_a_time_) : steps_at_a_time_;
    std::uint64_t made = 0;
    while (made < chosen && integrator_->time() < to) {
      made += integrator_->steps(to, trails_ && !stepper_ ? 1 : chosen - made);
      keep_trails();
    }
    steps_ += made;
    const double step_seconds = comm_.max(wall_time() - began) / static_cast<double>(made);
    steps_at_a_time_ = static_cast<std::uint64_t>(std::clamp(look_interval / step_seconds, 1.0, 65536.0));
    if (integrator_->time() < to) return std::nullopt;
    return arrive();
  }

  [[nodiscard]] const char* energy_scale() const override {
    return multiwalk::energy_scale(first_energy_.value_or(energy_), energy_).name;
  }

  [[nodiscard]] std::string energy_advice(const RunRecord& record) const override {
    if (options_.steps == DirectSteps::fixed) return fmt::format("a time.max_dt below {:g}", options_.step);
    const std::string advice = fmt::format("a time.eta below {:g}", options_.eta);
    const bool first_steps = record.steps.size() == 1;
    return first_steps ? fmt::format("a time.eta_start below {:g} and ", options_.eta_start) + advice : advice;
  }

  void require_finite() const override { multiwalk::require_finite(integrator_->bodies(), integrator_->time(), comm_); }

  [[nodiscard]] nlohmann::json state() const override {
    DirectSpan all = in_span_ ? span() : DirectSpan();
    all.pairs = comm_.sum(all.pairs);
    all.body_steps = comm_.sum(all.body_steps);
    return {{"integrator", state_json(integrator_->state())}, {"steps", steps_}, {"span", all.json()}};
  }

  [[nodiscard]] CheckpointView checkpoint_view(std::string parameters, std::string state) const override {
    empty_.frame = Frame::newtonian;
    empty_.time = integrator_->time();
    CheckpointView view(empty_, std::move(parameters), std::move(state), steps_);
    view.bodies = &integrator_->bodies();
    view.rung = &integrator_->state().rung;
    return view;
  }

 private:
  DirectState restore(const nlohmann::json& state, const RunRecord& record) {
    is_recorded_ = !record.steps.empty();
    if (record.has_diagnostics()) first_energy_ = record.steps.front().diagnostics->energy();
    steps_ = whole_number(state.at("steps"));
    // The counts are of all ranks: only one may add them again.
    earlier_ = DirectSpan::from(state.at("span"));
    if (!comm_.root()) earlier_ = {};
    return state_from_json(state.at("integrator"));
  }

  void keep_trails() {
    if (trails_) trails_->add(integrator_->bodies().position, integrator_->bodies().id);
  }

  /// The end of the current block of steps; between blocks, the present time.
  [[nodiscard]] double block_end() const {
    return integrator_->state().tick > 0 ? integrator_->state().block_end : integrator_->time();
  }

  /// Only at the end of a block are all bodies at one time, and a checkpoint may lie within a block.
  void require_output_after_block(const OutputSchedule& schedule) const {
    const double now = integrator_->time(), end = block_end();
    const double output = schedule.next(now).value_or(schedule.last());
    if (output >= end) return;
    throw SharedError(
        fmt::format("--restart {}: the checkpoint, at t = {}, lies in a block of steps that ends at {}: output.times "
                    "and time.t_end cannot be set to a time in between, such as {}",
                    parameters_.run.directory, now, end, output));
  }

  /// An automatic interval is a whole number of fixed steps, so that these keep the length that was asked for.
  [[nodiscard]] double diagnostics_every() const {
    const double given = parameters_.output.diagnostics_every, hundredth = (last_time_ - first_time_) / 100;
    if (given > 0) return given;
    if (options_.steps != DirectSteps::fixed) return hundredth;
    return options_.step * std::max(1.0, std::round(hundredth / options_.step));
  }

  /// The time of the next diagnostics or output, whichever comes first.
  [[nodiscard]] double next_stop(const OutputSchedule& schedule) const {
    const double every = diagnostics_every();
    const double now = integrator_->time();
    const double output = schedule.next(now).value_or(schedule.last());
    const double diagnostics = first_time_ + (std::floor((now - first_time_) / every + 1e-9) + 1) * every;
    return std::max(block_end(), diagnostics < output - 1e-9 * every ? diagnostics : output);
  }

  /// Called when all bodies are at one time: measures their diagnostics and returns the row that ends here.
  StepRecord arrive() {
    const double began = outside_forces();
    integrator_->evaluate_potential();
    const Diagnostics here = measure_diagnostics(integrator_->bodies(), integrator_->time(), comm_);
    energy_ = here.energy();
    multiwalk::require_finite(energy_, here.time);
    if (!is_recorded_) first_energy_ = energy_;
    measuring_ = outside_forces() - began;
    StepRecord step = end_span();
    step.energy_error = first_energy_ && is_recorded_ ? energy_error(*first_energy_, energy_) : 0;
    step.diagnostics = here;
    is_recorded_ = true;
    return step;
  }

  void begin_span() {
    counted_ = forces_.counts();
    counted_bodies_ = integrator_->counts().body_steps;
    counted_steps_ = steps_;
    sent_ = Communicator::bytes_sent();
    span_began_ = outside_forces();
    measuring_ = 0;
    in_span_ = true;
  }

  /// A clock that stops during summations.
  [[nodiscard]] double outside_forces() const {
    return wall_time() - forces_.counts().summing - forces_.counts().waiting;
  }

  /// From begin_span until now, with the part that an earlier process did before it was stopped.
  [[nodiscard]] DirectSpan span() const {
    const DirectForceCounts& counts = forces_.counts();
    DirectSpan span = earlier_;
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

  StepRecord end_span() {
    const DirectSpan mine = span();
    earlier_ = {};
    in_span_ = false;
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

  Communicator comm_;
  const Parameters& parameters_;
  DirectOptions options_;
  Progress& progress_;
  DirectBackendChoice choice_;
  RingForces forces_;
  std::unique_ptr<BlockStepper> stepper_;  ///< null: the host makes block steps
  std::unique_ptr<DirectIntegrator> integrator_;
  double first_time_, last_time_;
  std::uint64_t steps_ = 0, steps_at_a_time_ = 1;
  bool is_recorded_ = false;  ///< the record has a row
  std::optional<EnergySums> first_energy_;
  EnergySums energy_;
  ParticleSystem view_;
  std::optional<BodyTrails> trails_;  ///< of few bodies
  mutable ParticleSystem empty_;      ///< for checkpoints, which store bodies separately

  // The current span.
  bool in_span_ = false;
  DirectSpan earlier_;
  DirectForceCounts counted_;
  std::uint64_t counted_bodies_ = 0, counted_steps_ = 0, sent_ = 0;
  double span_began_ = 0, measuring_ = 0;
};

}  // namespace

std::unique_ptr<Evolution> make_direct_evolution(RunSetup& setup, const Parameters& parameters, const RunRecord& record,
                                                 const Communicator& comm, Progress& progress) {
  return std::make_unique<DirectEvolution>(setup, parameters, record, comm, progress);
}

}  // namespace multiwalk
