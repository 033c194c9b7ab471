#include "run/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/base/error.hpp"
#include "host/base/units.hpp"
#include "host/time/step_control.hpp"

namespace multiwalk {

namespace {

constexpr double kpc = 1e-3;  // Mpc

double total_mass(const ParticleStore& particles) {
  double mass = 0;
  for (float m : particles.mass) mass += static_cast<double>(m);
  return mass;
}

double median_radius(const ParticleStore& particles) {
  std::vector<double> radius(particles.size());
  for (std::size_t i = 0; i < radius.size(); ++i) radius[i] = norm(particles.position[i]);
  const auto middle = radius.begin() + static_cast<std::ptrdiff_t>(radius.size() / 2);
  std::nth_element(radius.begin(), middle, radius.end());
  return radius.empty() ? 0 : *middle;
}

EquationOfMotion motion_of(const ParticleSystem& system, const Expansion& expansion) {
  if (system.frame == Frame::newtonian) return EquationOfMotion::newtonian();
  return EquationOfMotion::comoving(expansion, background_term(system, expansion.parameters()));
}

StepOptions step_options(const TimeParameters& time) {
  return {time.eta, time.max_dlna, time.max_dt, time.min_step};
}

}  // namespace

void require_vacuum(const ParticleSystem& system) {
  if (system.boundary == Boundary::vacuum) return;
  throw InputError(
      "the particles fill a periodic box, and periodic forces are not in this program yet: use a sphere, or write the "
      "box "
      "with `multiwalk ic`");
}

double background_term(const ParticleSystem& system, const CosmologyParameters& cosmology) {
  const bool sphere = system.frame == Frame::comoving && system.boundary == Boundary::vacuum;
  return sphere ? 0.5 * cosmology.omega_m * units::hubble_100 * units::hubble_100 : 0;
}

double resolve_softening(const Parameters& parameters, const ParticleSystem& system) {
  const bool comoving = system.frame == Frame::comoving;
  if (parameters.softening.softening >= 0) return parameters.softening.softening * (comoving ? kpc : 1);
  if (system.spacing > 0) return system.spacing / 25;
  const double volume = 4 * std::numbers::pi / 3 * std::pow(median_radius(system.particles), 3);
  return std::cbrt(volume / std::max(1.0, 0.5 * static_cast<double>(system.particles.size()))) / 25;
}

Simulation::Simulation(const Parameters& parameters, ParticleSystem system, ForceBackend& backend)
    : parameters_(parameters),
      system_(std::move(system)),
      expansion_(parameters.cosmology),
      motion_(motion_of(system_, expansion_)),
      gravity_(parameters.force, backend, parameters.run.threads),
      softening_(resolve_softening(parameters, system_)) {
  require_vacuum(system_);
  if (!comoving()) {
    const double mass = total_mass(system_.particles);
    crossing_time_ = mass > 0 ? std::sqrt(std::pow(median_radius(system_.particles), 3) / mass) : 1;
  }
}

double Simulation::softening() const {
  const double cap = parameters_.softening.softening_max_physical * kpc;
  return comoving() && cap > 0 ? std::min(softening_, cap / system_.time) : softening_;
}

PairLaw Simulation::pair_law() const {
  return {comoving() ? units::gravitational_constant : 1.0, softening(), parameters_.force.multipole};
}

double Simulation::next_time() const {
  const double pull = largest_acceleration(system_.particles, background());
  const StepOptions options = step_options(parameters_.time);
  return comoving() ? next_expansion_factor(expansion_, time(), softening(), pull, options)
                    : multiwalk::next_time(time(), softening(), pull, crossing_time_, options);
}

StepRecord Simulation::start() {
  StepRecord record;
  const double began = wall_time();
  if (!forces_known_) {
    accelerate(record);
    note_energy();
  }
  return finish(record, began, 0);
}

StepRecord Simulation::step(double next) {
  const double began = wall_time();
  ParticleStore& particles = system_.particles;
  const double now = system_.time;
  const double half = comoving() ? std::sqrt(now * next) : 0.5 * (now + next);
  StepRecord record;
  kick(particles, motion_.kick_factor(now, half), background());
  drift(particles, motion_.drift_factor(now, next));
  system_.time = next;
  const double integration = wall_time() - began;
  accelerate(record);
  const double kicked = wall_time();
  kick(particles, motion_.kick_factor(half, next), background());
  note_energy();
  ++step_;
  return finish(record, began, integration + wall_time() - kicked);
}

void Simulation::accelerate(StepRecord& record) {
  const ForceStatistics forces = gravity_.accelerate(system_.particles, pair_law(), background());
  record.seconds = forces.seconds;
  record.raw = forces.raw;
  record.imbalance = forces.imbalance;
  forces_known_ = true;
}

StepRecord Simulation::finish(StepRecord record, double began, double integration) const {
  const double total = wall_time() - began;
  double charged = 0;
  for (double s : record.seconds) charged += s;
  record.seconds[static_cast<std::size_t>(Phase::integration)] += integration;
  record.seconds[static_cast<std::size_t>(Phase::other)] += std::max(0.0, total - charged - integration);
  record.step = step_;
  record.a = comoving() ? system_.time : 1;
  record.z = redshift();
  record.time = comoving() ? expansion_.time(system_.time) : system_.time;
  record.particles_per_second = static_cast<double>(system_.particles.size()) / std::max(total, 1e-12);
  return record;
}

void Simulation::note_energy() {
  const EnergySums sums = energy_sums(system_, background());
  if (!comoving()) {
    energy_ = sums.kinetic + sums.potential;
    if (!first_energy_) first_energy_ = energy_;
    return;
  }
  const bool sphere = system_.boundary == Boundary::vacuum && system_.sphere_radius > 0;
  const double homogeneous =
      sphere ? homogeneous_sphere_potential(units::gravitational_constant, total_mass(system_.particles),
                                            system_.sphere_radius, background(), system_.time)
             : 0;
  layzer_irvine_.add(system_.time, sums, homogeneous);
}

double Simulation::energy_error() const {
  if (comoving()) return layzer_irvine_.relative_violation();
  if (!first_energy_ || *first_energy_ == 0) return 0;
  return std::fabs(energy_ / *first_energy_ - 1);
}

nlohmann::json Simulation::state() const {
  const LayzerIrvine::State& li = layzer_irvine_.state();
  nlohmann::json json{{"step", step_},
                      {"softening", softening_},
                      {"crossing_time", crossing_time_},
                      {"energy", energy_},
                      {"layzer_irvine",
                       {{"started", li.started},
                        {"initial", li.initial},
                        {"integral", li.integral},
                        {"last_a", li.last_a},
                        {"last_kinetic", li.last_kinetic},
                        {"violation", li.violation}}}};
  if (first_energy_) json["first_energy"] = *first_energy_;
  return json;
}

void Simulation::restore(const nlohmann::json& state) {
  step_ = state.at("step");
  if (parameters_.softening.softening < 0) softening_ = state.at("softening");
  crossing_time_ = state.at("crossing_time");
  energy_ = state.at("energy");
  if (state.contains("first_energy")) first_energy_ = state.at("first_energy").get<double>();
  const nlohmann::json& li = state.at("layzer_irvine");
  layzer_irvine_.restore({li.at("started"), li.at("initial"), li.at("integral"), li.at("last_a"), li.at("last_kinetic"),
                          li.at("violation")});
  forces_known_ = true;
}

}  // namespace multiwalk
