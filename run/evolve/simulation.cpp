// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/evolve/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <numeric>

#include "decomposition/ranks/agree.hpp"
#include "decomposition/ranks/exact_sum.hpp"
#include "decomposition/ranks/quantile.hpp"
#include "host/base/error.hpp"
#include "host/base/large_memory.hpp"
#include "host/base/units.hpp"
#include "host/force/device_walker.hpp"
#include "run/evolve/measurement_budget.hpp"
#include "run/files/json_input.hpp"

namespace multiwalk {

namespace {

/// New cuts of space need the particles on the host. While devices keep them, cuts are made in the first steps and then
/// in every 32nd, and only if a rank has this much more work than the mean.
constexpr std::uint64_t settling_steps = 6, recut_interval = 32;
constexpr double tolerated_imbalance = 1.05;

constexpr std::uint64_t least_tuned = 100000;  // particles; fewer take milliseconds, which scatter too much

/// The result is the same for any distribution over ranks.
double total_mass(const ParticleStore& particles, const Communicator& comm) {
  ExactSum mass;
#pragma omp parallel
  {
    ExactSum part;
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < particles.size(); ++i) part.add(static_cast<double>(particles.mass[i]));
#pragma omp critical
    mass += part;
  }
  return mass.total(comm);
}

double median_radius(const ParticleStore& particles, const Communicator& comm) {
  LargeArray<double> radius(particles.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < radius.size(); ++i) radius[i] = norm(particles.position[i]);
  return quantile(comm, radius, 0.5);
}

std::uint64_t count_particles(const ParticleStore& particles, const Communicator& comm) {
  return comm.sum(static_cast<std::uint64_t>(particles.size()));
}

EquationOfMotion motion_of(const SystemFacts& system, const Expansion& expansion) {
  if (system.frame == Frame::newtonian) return EquationOfMotion::newtonian();
  return EquationOfMotion::comoving(expansion, background_term(system, expansion.parameters()));
}

nlohmann::json to_json(const EnergySums& sums) {
  return {sums.kinetic, sums.potential};
}
EnergySums energy_from_json(const nlohmann::json& json) {
  return {json.at(0), json.at(1)};
}

}  // namespace

void require_boundary(const SystemFacts& system, const ForceBackend& backend) {
  PairLaw law;
  law.box_size = period_of(system);
  if (splits_forces(system, backend)) law.split = {0.01 * law.box_size, 0.05 * law.box_size};
  if (backend.evaluates(law)) return;
  if (system.boundary == Boundary::periodic) {
    throw InputError(fmt::format(
        "the particles fill a periodic box, and the back end {} has no periodic forces: use auto, cpu, cuda or (all "
        "pairs, for small boxes) ewald",
        backend.name()));
  }
  throw InputError(fmt::format(
      "the back end {} sums over the images of a periodic box, but the particles lie in a vacuum: use auto, cpu, cuda "
      "or direct",
      backend.name()));
}

double background_term(const SystemFacts& system, const CosmologyParameters& cosmology) {
  const bool sphere = system.frame == Frame::comoving && system.boundary == Boundary::vacuum;
  return sphere ? 0.5 * cosmology.omega_m * units::hubble_100 * units::hubble_100 : 0;
}

double resolve_softening(const Parameters& parameters, const ParticleSystem& system, const Communicator& comm) {
  const bool comoving = system.frame == Frame::comoving;
  if (parameters.softening.softening >= 0) return parameters.softening.softening * (comoving ? units::kpc : 1);
  if (system.spacing > 0) return system.spacing / 25;
  const double volume = 4 * std::numbers::pi / 3 * std::pow(median_radius(system.particles, comm), 3);
  const auto count = static_cast<double>(count_particles(system.particles, comm));
  return std::cbrt(volume / std::max(1.0, 0.5 * count)) / 25;
}

MultisectionOptions multisection_options(const DecompositionParameters& parameters) {
  MultisectionOptions options;
  options.max_memory_imbalance = parameters.max_memory_imbalance;
  if (parameters.grid.size() == 3) std::ranges::copy(parameters.grid, options.grid.begin());
  return options;
}

Simulation::Simulation(const Parameters& parameters, ParticleSystem system, ForceBackend& backend,
                       const Communicator& comm)
    : comm_(comm),
      parameters_(parameters),
      particles_(std::move(system), backend),
      expansion_(parameters.cosmology),
      motion_(motion_of(particles_.facts(), expansion_)),
      backend_text_(backend.description()),
      box_forces_(splits_forces(particles_.facts(), backend)
                      ? std::optional(resolve_box_forces(parameters.box_force, parameters.force,
                                                         count_particles(particles_.identities(), comm),
                                                         particles_.facts().box_size))
                      : std::nullopt),
      block_steps_(takes_block_steps(parameters, box_forces_.has_value())),
      gravity_(box_forces_ ? box_forces_->walks : parameters.force, backend, parameters.run.threads),
      long_range_(box_forces_ ? make_long_range(*box_forces_, backend, comm) : nullptr),
      domains_(comm, multisection_options(parameters.decomposition)),
      essential_trees_(comm),
      particle_count_(count_particles(particles_.identities(), comm)),
      sizes_open_(gravity_.tunable()),
      tuner_(gravity_.sizes(),
             sizes_open_ && !parameters.run.deterministic &&
                 particle_count_ >= least_tuned * static_cast<std::uint64_t>(comm.size()),
             expected_evaluations(parameters, particles_.facts().frame, time(), box_forces_.has_value())),
      total_mass_(total_mass(particles_.identities(), comm)),
      devices_walk_(comm.all(backend.device_walker() != nullptr)),
      softening_(resolve_softening(parameters, particles_.on_host(), comm)) {
  require_boundary(particles_.facts(), backend);
  particles_.come_home().set_rungs(block_steps_);
  if (!comoving()) {
    const double radius = median_radius(particles_.on_host().particles, comm);
    crossing_time_ = total_mass_ > 0 ? std::sqrt(std::pow(radius, 3) / total_mass_) : 1;
  }
}

bool Simulation::may_stay_on_devices() const {
  const bool simple = !block_steps_ && particles_.facts().boundary == Boundary::vacuum;
  return devices_walk_ || (comm_.alone() && simple);
}

void Simulation::stay_on_devices() {
  if (!may_stay_on_devices() || step_ < next_staying_ || (all_stay_ && particles_.on_device())) return;
  all_stay_ = comm_.all(particles_.stay_on_device());
  if (comm_.alone() || all_stay_) return;
  particles_.come_home();
  next_staying_ = step_ + recut_interval;
}

double Simulation::softening() const {
  const double cap = parameters_.softening.softening_max_physical * units::kpc;
  return comoving() && cap > 0 ? std::min(softening_, cap / time()) : softening_;
}

void Simulation::sort_particles() {
  ParticleStore& particles = particles_.come_home();
  sort_by_key(particles, enclosing_cube(bounding_box(particles.position)));
}

PairLaw Simulation::pair_law() const {
  return {comoving() ? units::gravitational_constant : 1.0, softening(), parameters_.force.multipole,
          period_of(particles_.facts()), box_forces_ ? box_forces_->split : ForceSplit{}};
}

StepOptions Simulation::step_options() const {
  const TimeParameters& time = parameters_.time;
  return {time.eta, time.max_dlna, time.max_dt, time.min_step};
}

double Simulation::end_of_block() const {
  StepOptions options = step_options();
  if (!comoving()) {
    // Without softening all are on rung 0, and a block is a step.
    if (softening() == 0) return multiwalk::next_time(time(), 0, 0, crossing_time_, options);
    if (options.max_dt == 0) options.max_dt = block_crossing * crossing_time_;
    return multiwalk::next_time(time(), 0, 0, 0, options);
  }
  if (long_range_) options.max_dlna = std::min(options.max_dlna, longest_block);
  if (long_range_ && layzer_irvine_.state().last_kinetic > 0) {
    const double speed = std::sqrt(2 * layzer_irvine_.state().last_kinetic / total_mass_);
    const double way = speed / (time() * expansion_.hubble(time()));  // in ln a, comoving
    options.max_dlna = std::min(options.max_dlna, block_displacement * box_forces_->split.scale / way);
  }
  return next_expansion_factor(expansion_, time(), 0, 0, options);
}

double Simulation::next_time() const {
  if (block_steps_) return end_of_block();
  const double own =
      largest_pull_ ? *largest_pull_ : largest_acceleration(particles_.on_host().particles, background());
  const double pull = comm_.max(own);
  const StepOptions options = step_options();
  return comoving() ? next_expansion_factor(expansion_, time(), softening(), pull, options)
                    : multiwalk::next_time(time(), softening(), pull, crossing_time_, options);
}

StepRecord Simulation::start() {
  StepFigures figures(Phase::other);
  if (!forces_known_) {
    accelerate(figures);
    record_energy({}, figures);
  }
  stay_on_devices();  // before the first output, which may use them there
  return record(figures);
}

StepRecord Simulation::step(double next) {
  StepFigures figures(Phase::integration);
  const std::optional<double> last_kick = block_steps_ ? step_on_rungs(next, figures) : step_together(next, figures);
  if (abandoned_) return {};
  record_energy(last_kick, figures);
  ++step_;
  StepRecord made = record(figures);
  work_imbalance_ = made.ranks.work.imbalance();
  return made;
}

std::optional<double> Simulation::step_together(double next, StepFigures& figures) {
  const double now = time();
  const double half = comoving() ? std::sqrt(now * next) : 0.5 * (now + next);
  const double kick = motion_.kick_factor(now, half);
  const Drift drift{now, next, motion_.drift_factor(now, next)};
  stay_on_devices();
  if (is_watched(drift)) {
    particles_.move(KickAndDrift{kick, background(), 0});
    drift_to(next, figures);
  } else {
    particles_.move(KickAndDrift{kick, background(), drift.factor});
    particles_.set_time(next);
  }
  accelerate(figures);
  return motion_.kick_factor(half, next);
}

void Simulation::drift_to(double next, StepFigures& figures) {
  const Drift drift{time(), next, motion_.drift_factor(time(), next)};
  if (is_watched(drift)) {
    const StepFigures::Charge watching(figures, Phase::other);
    show_before(drift);
  }
  particles_.move(DriftAlone{drift.factor});
  particles_.set_time(next);
}

void Simulation::show_before(const Drift& drift) {
  if (particles_.on_device()) {
    if (observer_->count_kept(particles_.sky_counter(), drift)) return;
    if (const std::optional<Passage> passage = observer_->passage(drift)) {
      const auto passing = particles_.find_passing(*passage);
      if (!comm_.any(passing == nullptr)) return observer_->before_passage(passing, particles_.identities(), drift);
    }
  }
  observer_->before_drift(particles_.motion_on_host().particles, drift);
}

/// A new tree takes about as long as the forces on an eighth of the particles, and an old tree gives longer lists. The
/// first block after a restart begins with a new tree; all blocks do, so that a restart does not change the results.
/// Parts of trees that ranks have given each other do not follow the particles.
bool Simulation::needs_new_tree(int least, std::uint64_t targets, bool begins_block) const {
  return least == 0 || begins_block || !comm_.alone() || !particles_.on_device() || targets > particles_.size() / 8;
}

bool Simulation::cuts_are_due() const {
  if (!may_stay_on_devices() || !domains_.map()) return true;
  if (step_ >= settling_steps && step_ % recut_interval != 0) return false;
  return !work_imbalance_ || *work_imbalance_ > tolerated_imbalance;
}

/// A device knows the work of its particles from an evaluation for all of them until it grows the next tree.
bool Simulation::cuts_begin_blocks() const {
  return block_steps_ && may_stay_on_devices() && domains_.map().has_value();
}

void Simulation::distribute(StepFigures& figures, bool anew) {
  if (comm_.alone()) return;
  const StepFigures::Charge moving(figures, Phase::decompose);
  const bool on_device = particles_.on_device();
  if (anew) {
    domains_.distribute(particles_.come_home());
  } else {
    if (!domains_.return_strays(particles_)) next_staying_ = step_ + recut_interval;
    all_stay_ = false;  // a device that lacked room keeps its particles no longer
  }
  if (on_device) stay_on_devices();
}

void Simulation::accelerate(StepFigures& figures, int least) {
  const std::uint64_t targets =
      least > 0 ? std::accumulate(figures.now.begin() + least, figures.now.end(), std::uint64_t{0}) : particles_.size();
  const bool new_tree = needs_new_tree(least, targets, figures.substeps == 0);
  if (new_tree && particles_.facts().boundary == Boundary::periodic) particles_.move(WrapIntoBox{box_size()});
  gravity_.set_sizes(tuner_.sizes());
  distribute(figures, least == 0 && !cuts_begin_blocks() && cuts_are_due());
  const double began = wall_time();
  forces_ = particles_.accelerate(
      gravity_, pair_law(),
      {background(), comm_.alone() ? nullptr : &essential_trees_, long_range_.get(), least, new_tree});
  figures.add(forces_, wall_time() - began, targets, comm_.alone() ? nullptr : &essential_trees_.statistics());
  if (least == 0 && !tuner_.settled()) tuner_.record(comm_.max(forces_.seconds_of_sizes()));
  forces_known_ = true;
}

std::string Simulation::sizes_are_for() const {
  return fmt::format("{} particles on {}{} with {} threads, {} ranks", particle_count_, backend_text_,
                     devices_walk_ ? ", which walk," : "", gravity_.threads(), comm_.size());
}

void Simulation::take_sizes(TreeSizes sizes, bool settled) {
  if (!sizes_open_) return;
  tuner_ = SizeTuner(sizes, !settled && !tuner_.settled(),
                     expected_evaluations(parameters_, particles_.facts().frame, time(), box_forces_.has_value()));
}

StepRecord Simulation::record(StepFigures& figures) const {
  StepRecord record;
  record.ranks = over_ranks(comm_, figures.finish(particles_.size()));
  record.seconds = record.ranks.mean_seconds();
  record.raw = sum_over_ranks(comm_, figures.raw);
  record.block = block_record(figures);
  record.imbalance = comm_.alone() ? forces_.imbalance : record.ranks.busy.imbalance();
  record.step = step_;
  record.a = comoving() ? time() : 1;
  record.z = redshift();
  record.time = comoving() ? expansion_.time(time()) : time();
  record.update_speed(particle_count_);
  return record;
}

BlockRecord Simulation::block_record(StepFigures& figures) const {
  if (figures.substeps == 0) return {};
  comm_.sum(std::span<std::uint64_t>(figures.rungs));
  const auto end = std::find_if(figures.rungs.rbegin(), figures.rungs.rend(), [](std::uint64_t n) { return n > 0; });
  return {figures.substeps,
          comm_.sum(figures.evaluations),
          comm_.sum(figures.last_raw),
          {figures.rungs.begin(), end.base()}};
}

EnergySums Simulation::kick_and_sum(double factor, const std::function<void()>& summed) {
  if (const std::optional<KickSums> own = particles_.kick_and_sum_on_device(factor, background())) {
    summed();
    const EnergySums sums = energy_sums(EnergyParts{own->velocity_square, own->pair_potential, own->position_square},
                                        particles_.facts(), background(), comm_);
    require_finite_acceleration(own->largest_pull2);
    largest_pull_ = std::sqrt(own->largest_pull2);
    return sums;
  }
  ParticleStore& store = particles_.come_home();
  std::atomic<double> largest2{0};
  const auto kick_some = [&](std::size_t first, std::size_t last) {
    const double here = kick(store, first, last, factor, background());
    double before = largest2;
    while (before < here && !largest2.compare_exchange_weak(before, here)) {
    }
  };
  const EnergySums sums = energy_sums(particles_.on_host(), background(), comm_, kick_some, summed);
  require_finite_acceleration(largest2);
  largest_pull_ = std::sqrt(largest2);
  return sums;
}

void Simulation::record_energy(std::optional<double> last_kick, StepFigures& figures) {
  const auto wait_for_all = [&] {
    const StepFigures::Waiting waiting(figures);
    comm_.barrier();
  };
  const EnergySums sums = last_kick || particles_.on_device()
                              ? kick_and_sum(last_kick.value_or(0), wait_for_all)
                              : energy_sums(particles_.on_host(), background(), comm_, nullptr, wait_for_all);
  require_finite(sums, time());
  if (!comoving()) {
    energy_ = sums;
    if (!first_energy_) first_energy_ = energy_;
    return;
  }
  const SystemFacts& facts = particles_.facts();
  const bool sphere = facts.boundary == Boundary::vacuum && facts.sphere_radius > 0;
  const double homogeneous = sphere ? homogeneous_sphere_potential(units::gravitational_constant, total_mass_,
                                                                   facts.sphere_radius, background(), time())
                                    : 0;
  layzer_irvine_.add(time(), sums, homogeneous);
}

double Simulation::energy_error() const {
  if (comoving()) return layzer_irvine_.relative_violation();
  return first_energy_ ? multiwalk::energy_error(*first_energy_, energy_) : 0;
}

const char* Simulation::energy_scale() const {
  return multiwalk::energy_scale(first_energy_.value_or(energy_), energy_).name;
}

nlohmann::json Simulation::state() const {
  const LayzerIrvine::State& li = layzer_irvine_.state();
  nlohmann::json json{
      {"step", step_},
      {"block_steps", block_steps_},
      {"softening", softening_},
      {"crossing_time", crossing_time_},
      {"energy", to_json(energy_)},
      {"sizes",
       {{"group", sizes().group}, {"leaf", sizes().leaf}, {"settled", sizes_settled()}, {"for", sizes_are_for()}}},
      {"layzer_irvine",
       {{"started", li.started},
        {"initial", li.initial},
        {"integral", li.integral},
        {"last_a", li.last_a},
        {"last_kinetic", li.last_kinetic},
        {"violation", li.violation}}}};
  if (first_energy_) json["first_energy"] = to_json(*first_energy_);
  if (work_imbalance_) json["work_imbalance"] = *work_imbalance_;
  if (next_staying_ > 0) json["next_keeping"] = next_staying_;
  if (const std::optional<DomainMap>& map = domains_.map()) {
    json["domains"] = {{"grid", map->grid}, {"x", map->x}, {"y", map->y}, {"z", map->z}};
  }
  return json;
}

void Simulation::restore(const nlohmann::json& state) {
  step_ = whole_number(state.at("step"));
  if (parameters_.softening.softening < 0) softening_ = state.at("softening");
  crossing_time_ = state.at("crossing_time");
  energy_ = energy_from_json(state.at("energy"));
  if (state.contains("first_energy")) first_energy_ = energy_from_json(state.at("first_energy"));
  if (state.contains("work_imbalance")) work_imbalance_ = state.at("work_imbalance");
  if (state.contains("next_keeping")) next_staying_ = whole_number(state.at("next_keeping"));
  const nlohmann::json& li = state.at("layzer_irvine");
  layzer_irvine_.restore({li.at("started"), li.at("initial"), li.at("integral"), li.at("last_a"), li.at("last_kinetic"),
                          li.at("violation")});
  if (state.contains("sizes") && state["sizes"].at("for") == sizes_are_for()) {
    const nlohmann::json& sizes = state["sizes"];
    const std::uint64_t group = whole_number(sizes.at("group")), leaf = whole_number(sizes.at("leaf"));
    if (group == 0 || leaf == 0 || group > TreeSizes::most || leaf > TreeSizes::most)
      throw SharedError("the checkpoint's sizes of groups and leaves are damaged: restart from an older checkpoint");
    take_sizes({static_cast<std::uint32_t>(group), static_cast<std::uint32_t>(leaf)}, sizes.at("settled"));
  }
  if (state.contains("domains")) {
    const nlohmann::json& map = state["domains"];
    domains_.restore({map.at("grid"), map.at("x"), map.at("y"), map.at("z")});
  }
  // Without block steps the mesh's part of the forces was not kept.
  forces_known_ = !block_steps_ || state.value("block_steps", false);
}

}  // namespace multiwalk
