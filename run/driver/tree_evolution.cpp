// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/driver/tree_evolution.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <utility>

#include "analysis/halos/halo_finder.hpp"
#include "decomposition/ranks/agree.hpp"
#include "run/driver/tree_sizes_file.hpp"
#include "run/evolve/measurement_budget.hpp"
#include "run/evolve/self_measurements.hpp"
#include "run/evolve/simulation.hpp"
#include "run/files/json_output.hpp"
#include "run/files/number_text.hpp"

namespace multiwalk {

namespace {

/// A relative energy error; the errors of the forces alone cause about 1e-3.
constexpr double first_worrying_energy_error = 0.01;

class TreeEvolution final : public Evolution {
 public:
  TreeEvolution(RunSetup& setup, const Parameters& parameters, const RunRecord& record, const Communicator& comm,
                Progress& progress)
      : comm_(comm),
        parameters_(parameters),
        progress_(progress),
        choice_(std::move(setup.backend)),
        simulation_(parameters_, std::move(setup.system), *choice_.backend, comm),
        trials_before_(record.measuring.trials) {
    progress_.message("back end: " + choice_.why);
    progress_.message(measurements_text(parameters_));
    warn_of_settings();
    if (setup.is_new()) {
      recall_sizes();
    } else {
      simulation_.restore(setup.state.at("simulation"));
      next_census_ = setup.state.at("next_census");
      if (!(next_census_ >= 0)) throw SharedError("the state of the run in the checkpoint is damaged: next_census");
      is_recorded_ = !record.steps.empty();
    }
    const bool few = simulation_.particle_count() <= BodyTrails::most_bodies;
    if (parameters_.output.images && few && !simulation_.comoving()) trails_.emplace();
    keep_trails();
  }

  void describe(RunRecord& record) const override {
    record.backend = name_with_devices(*choice_.backend);
    record.threads = threads();
    record.devices = choice_.devices_in_all;
    record.particles = simulation_.particle_count();
    record.comoving = simulation_.comoving();
    if (record.worrying_energy_error == 0) record.worrying_energy_error = first_worrying_energy_error;
  }

  [[nodiscard]] StepTables::Columns columns() const override {
    return {false, simulation_.block_steps() ? rung_count : 0};
  }

  [[nodiscard]] Parameters parameters_as_used() const override {
    Parameters used = parameters_;
    if (const std::optional<BoxForces>& forces = simulation_.box_forces()) {
      used.force.mac = forces->walks.mac;
      used.force.alpha = forces->walks.alpha;
      used.force.multipole = forces->walks.multipole;
      used.box_force.mesh = forces->mesh.cells;
      used.box_force.split = forces->split.scale * forces->mesh.cells / simulation_.box_size();
      used.box_force.cutoff = forces->split.cutoff / forces->split.scale;
    }
    return used;
  }

  [[nodiscard]] double time() const override { return simulation_.time(); }
  [[nodiscard]] bool comoving() const override { return simulation_.comoving(); }
  [[nodiscard]] std::uint64_t step_count() const override { return simulation_.step_count(); }
  [[nodiscard]] std::uint64_t peak_device_memory() const override { return choice_.backend->peak_device_memory(); }
  [[nodiscard]] EvolutionView view() override {
    const auto mesh = simulation_.box_forces() ? simulation_.box_forces()->mesh.cells : 0;
    return {simulation_.particles(),          simulation_.domains(),
            simulation_.uncapped_softening(), simulation_.background(),
            static_cast<std::uint32_t>(mesh), trails_ ? &*trails_ : nullptr};
  }

  std::optional<StepRecord> start() override {
    if (!is_recorded_) progress_.message("first forces");
    const double began = wall_time();
    StepRecord first = simulation_.start();
    if (is_recorded_) return std::nullopt;
    const double moving = first.seconds[static_cast<std::size_t>(Phase::decompose)];
    progress_.message("first forces: " + duration(wall_time() - began) +
                      (comm_.alone() ? "" : ", " + duration(moving) + " of it to move particles to their ranks"));
    return finish(std::move(first));
  }

  std::optional<StepRecord> advance(const OutputSchedule& schedule, std::uint64_t /*most: of one step*/) override {
    const bool searching = !simulation_.sizes_settled();
    StepRecord step = simulation_.step(schedule.end_of_step(simulation_.time(), simulation_.next_time()));
    if (simulation_.abandoned()) return std::nullopt;
    keep_trails();
    tell_of_walks();
    if (searching && simulation_.sizes_settled()) keep_sizes();
    return finish(std::move(step));
  }

  [[nodiscard]] const char* energy_scale() const override { return simulation_.energy_scale(); }

  [[nodiscard]] std::string energy_advice(const RunRecord& /*record*/) const override {
    if (simulation_.comoving()) return "";
    const bool points = parameters_.softening.softening == 0;  // their steps do not follow eta
    return (points ? "a" : fmt::format("a time.eta below {:g}, a", parameters_.time.eta)) +
           " shorter time.max_dt or smaller errors of forces";
  }

  void measure_output(RunRecord& record, bool last) override {
    const OutputParameters& output = parameters_.output;
    const std::uint32_t sample = last ? output.final_error_sample : output.error_sample;
    record_trials(record);
    if (sample == 0) return;
    progress_.message(fmt::format("measuring the force error: {} of {} particles",
                                  std::min<std::uint64_t>(sample, record.particles), record.particles));
    sample_force_error(simulation_, {sample, parameters_.model.seed}, record, listener());
    report_force_error(record.errors.back().total);
  }

  /// Census epochs are spread evenly over the run, its first and last step included. Ewald sums have no walks to count.
  void measure_step(RunRecord& record, double fraction) override {
    record_trials(record);
    const std::uint32_t epochs = parameters_.output.census_epochs;
    const PairLaw law = simulation_.pair_law();
    const bool walks = law.box_size == 0 || law.split.scale > 0;
    if (epochs == 0 || !walks || fraction < next_census_) return;
    progress_.message("counting effective interactions");
    take_census(simulation_, parameters_, last_raw_, record, listener());
    const double spacing = epochs > 1 ? 1.0 / (epochs - 1) : 2.0;
    while (next_census_ <= fraction) next_census_ += spacing;
    if (next_census_ > 1 - 1e-9 && next_census_ < 1 + 1e-9) next_census_ = 1;
  }

  void observe_drifts(DriftObserver* observer) override { simulation_.observe_drifts(observer); }
  void watch_blocks(const BlockWatch& watch) override {
    simulation_.watch_blocks([this, watch](const BlockMoment& moment) {
      warn_of_deepest_rung(moment);
      return watch(moment);
    });
  }
  [[nodiscard]] bool synchronised() const override { return simulation_.synchronised(); }

  [[nodiscard]] nlohmann::json state() const override {
    return {{"simulation", simulation_.state()}, {"next_census", next_census_}};
  }
  [[nodiscard]] CheckpointView checkpoint_view(std::string parameters, std::string state) const override {
    return {simulation_.on_host(), std::move(parameters), std::move(state), simulation_.step_count()};
  }

 private:
  void keep_trails() {
    if (!trails_) return;
    const ParticleStore& particles = simulation_.on_host().particles;
    trails_->add(particles.position, particles.id);
  }

  [[nodiscard]] int threads() const {
    return parameters_.run.threads > 0 ? parameters_.run.threads : omp_get_max_threads();
  }

  void warn_of_settings() {
    if (parameters_.output.halos) {
      require_halos(simulation_.on_host());
      const std::string warning = warning_of_unequal_masses(simulation_.on_host(), comm_);
      if (!warning.empty()) progress_.message("WARNING: " + warning);
    }
    if (choice_.devices.size() > static_cast<std::size_t>(threads())) {
      progress_.message(
          fmt::format("WARNING: {} threads feed only as many of the {} devices: set run.threads or run.devices",
                      threads(), choice_.devices.size()));
    }
  }

  void tell_of_walks() {
    if (!simulation_.hosts_walked_for_devices() || std::exchange(told_of_walks_, true)) return;
    progress_.message(
        fmt::format("the {} made the walks of step {}: a GPU has too little memory for them, or too few "
                    "particles",
                    comm_.alone() ? "host" : "hosts", simulation_.step_count()));
  }

  StepRecord finish(StepRecord step) {
    last_raw_ = step.last_raw();
    step.energy_error = simulation_.energy_error();
    return step;
  }

  void record_trials(RunRecord& record) const {
    record.measuring.trials = trials_before_ + simulation_.seconds_of_trials();
  }

  /// An earlier run in this directory may have found the fastest sizes.
  void recall_sizes() {
    TreeSizes found;
    collectively(comm_, [&] {
      if (!comm_.root()) return;
      try {
        found = read_tree_sizes(parameters_.run.directory, simulation_.sizes_are_for()).value_or(TreeSizes{});
      } catch (const InputError& error) {
        progress_.message(fmt::format("WARNING: {}: the run finds them again", error.what()));
      }
    });
    comm_.broadcast(std::span(&found, 1));
    if (found.group == 0) return;
    simulation_.take_sizes(found, true);
    progress_.message(sizes_text() + ", as an earlier run in this directory found");
  }

  void keep_sizes() {
    progress_.message(sizes_text() + ", found fastest, from now on");
    collectively(comm_, [&] {
      if (comm_.root()) {
        write_tree_sizes(parameters_.run.directory, simulation_.sizes_are_for(), simulation_.sizes());
      }
    });
  }

  [[nodiscard]] std::string sizes_text() const {
    const TreeSizes sizes = simulation_.sizes();
    return fmt::format("groups of at most {} and leaves of at most {} particles", sizes.group, sizes.leaf);
  }

  void warn_of_deepest_rung(const BlockMoment& moment) {
    if (warned_of_rung_ || moment.deepest < deepest_rung) return;
    warned_of_rung_ = true;
    progress_.message(fmt::format(
        "WARNING: particles take the shortest possible steps, 2^-{} of a block, and may need shorter ones: choose a "
        "larger force.softening, or set time.min_step",
        deepest_rung));
  }

  /// Long measurements report through the progress of the run.
  [[nodiscard]] MeasuringListener listener() {
    if (!comm_.root()) return {};
    return {[this](const std::string& text) { progress_.message(text); }};
  }

  void report_force_error(const ErrorPercentiles& error) {
    constexpr double worrying = 0.1;
    progress_.message("force error: " + percentiles_text(percentiles_json(error)));
    if (!(error.p99 > worrying)) return;
    progress_.message(
        error.knows_p99()
            ? fmt::format("WARNING: 1% of the forces are off by more than {:.2g} of their size: see [force]", error.p99)
            : fmt::format("WARNING: forces are off by up to {:.2g} of their size (median {:.2g} of {} particles): see "
                          "[force]",
                          error.max, error.median, error.sample));
  }

  Communicator comm_;
  const Parameters& parameters_;
  Progress& progress_;
  BackendChoice choice_;
  Simulation simulation_;
  std::optional<BodyTrails> trails_;  ///< of few bodies
  double trials_before_;              ///< the restart, in seconds
  double next_census_ = 0;
  std::uint64_t last_raw_ = 0;
  bool is_recorded_ = false;
  bool told_of_walks_ = false;
  bool warned_of_rung_ = false;
};

}  // namespace

std::unique_ptr<Evolution> make_tree_evolution(RunSetup& setup, const Parameters& parameters, const RunRecord& record,
                                               const Communicator& comm, Progress& progress) {
  return std::make_unique<TreeEvolution>(setup, parameters, record, comm, progress);
}

}  // namespace multiwalk
