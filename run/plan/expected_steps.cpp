// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/plan/expected_steps.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <vector>

#include "analysis/halos/mass_function.hpp"
#include "host/base/quadrature.hpp"
#include "host/base/units.hpp"
#include "host/cosmology/growth.hpp"
#include "host/particles/rung.hpp"
#include "host/time/step_control.hpp"
#include "ic/models/realisation.hpp"
#include "ic/power/linear_power.hpp"
#include "run/evolve/box_forces.hpp"
#include "run/evolve/output_schedule.hpp"
#include "run/evolve/simulation.hpp"
#include "run/plan/planned_model.hpp"

namespace multiwalk {

namespace {

using std::numbers::pi;

/// Acceleration of a halo's particles over that at its radius r200c: the mean of those that shorten steps, and the
/// largest, at the softened centre. Both fit ten runs (tests/unit/run/plan/test_expected_steps.cpp).
constexpr double mean_pull = 3, largest_pull = 3.5;
constexpr double overdensity = 200;
constexpr double fewest = 4;               // particles that slow each other down as in a halo
constexpr double rounded_to_rungs = 1.44;  // the mean of a power of two over the number that it exceeds, 1 / ln 2

struct Epoch {
  double growth;  ///< D relative to today
  double omega_m, z;
};

/// The halos of a box, or none.
class ExpectedHalos {
 public:
  /// `side`: of the box whose waves there are; `particles`: in all of it.
  ExpectedHalos(const LinearPower& power, double side, double particles) {
    constexpr int count = 24;
    const double most = particles / 2, missing = std::pow(power.sigma(sphere(side)), 2);  // waves longer than the box
    const double ratio = std::pow(most / fewest, 1.0 / count);
    const auto sigma = [&](double number) {
      return std::sqrt(std::max(0.0, std::pow(power.sigma(sphere(side) * std::cbrt(number / particles)), 2) - missing));
    };
    for (double number = fewest; number * ratio < 1.001 * most && sigma(number * ratio) > 0; number *= ratio) {
      const double middle = number * std::sqrt(ratio);
      halos_.push_back({middle, sphere(side) * std::cbrt(middle / particles / overdensity), sigma(middle),
                        std::log(sigma(number) / sigma(number * ratio))});
    }
    const double longest = std::log(2 * pi / side);
    const Quadrature integral(200);
    displacement_ = std::sqrt(integral(longest, longest + 12, [&](double ln_k) {
      const double k = std::exp(ln_k);
      return k * power(k) / (2 * pi * pi);
    }));
  }

  /// Today, by linear theory, of all three components.
  [[nodiscard]] double rms_displacement() const { return displacement_; }

  /// The mean over particles of what is 1 outside halos and `steps` in those of a comoving radius.
  [[nodiscard]] double mean_steps(const Epoch& at, const std::function<double(double)>& steps) const {
    double mean = 1;
    for (const Halo& halo : halos_) mean += halo.share(at) * (steps(halo.radius * std::cbrt(at.omega_m)) - 1);
    return mean;
  }

  /// The comoving radius of the largest halo, one of its kind in the box; 0 if there is none yet.
  [[nodiscard]] double largest_radius(const Epoch& at, double particles) const {
    double larger = 0;
    for (std::size_t i = halos_.size(); i-- > 0;) {
      larger += particles / halos_[i].number * halos_[i].share(at);
      if (larger >= 1) return halos_[i].radius * std::cbrt(at.omega_m);
    }
    return 0;
  }

 private:
  /// The halos of an interval of masses.
  struct Halo {
    double number;  ///< of particles
    double radius;  ///< r200c, comoving, where Omega_m(a) = 1
    double sigma;   ///< today
    double width;   ///< of the interval in ln sigma

    /// The fraction of all particles that are in these halos.
    [[nodiscard]] double share(const Epoch& at) const { return tinker_multiplicity(sigma * at.growth, at.z) * width; }
  };

  /// Radius of the sphere that has the volume of a cube.
  static double sphere(double side) { return side * std::cbrt(3 / (4 * pi)); }

  double displacement_ = 0;
  std::vector<Halo> halos_;
};

/// Computes the steps of a cosmological run from its settings and the halos expected in it.
class CosmicSteps {
 public:
  CosmicSteps(const Parameters& parameters, const ParticleSystem& system, double softening)
      : parameters_(parameters),
        expansion_(parameters.cosmology),
        growth_(expansion_),
        blocks_(takes_block_steps(parameters, system.boundary == Boundary::periodic)),
        softening_(softening),
        now_(system.time),
        particles_(static_cast<double>(planned_particles(parameters))),
        schedule_(OutputSchedule::comoving(parameters, system.time)) {
    if (const auto forces = planned_box_forces(parameters)) split_scale_ = forces->split.scale;
    const ModelKind kind = parameters.model.kind;
    if (kind == ModelKind::hubble_lattice || !(system.spacing > 0)) return;
    const double side =
        kind != ModelKind::file ? realisation_side(parameters.model) : system.spacing * std::cbrt(particles_);
    halos_.emplace(LinearPower::of(parameters.cosmology, parameters.ic.transfer_file), side,
                   std::pow(side / system.spacing, 3));
  }

  ExpectedSteps count() {
    ExpectedSteps found;
    const auto most = static_cast<double>(parameters_.time.max_steps);
    constexpr double too_many = 1e7;
    while (now_ < schedule_.last() && found.steps < too_many) {
      if (most > 0 && found.steps >= most) {
        found.limited = true;
        break;
      }
      const double longest = blocks_ ? block() : step();
      const double next = schedule_.end_of_step(now_, now_ * std::exp(longest));
      found.evaluations += blocks_ ? evaluations(std::log(next / now_)) : 1;
      found.steps += 1;
      now_ = next;
    }
    return found;
  }

 private:
  [[nodiscard]] Epoch epoch() const {
    return {growth_.factor(now_) / growth_.factor(1), expansion_.omega_m(now_), 1 / now_ - 1};
  }

  /// The step in ln a at `pull` times the acceleration that a halo has at its comoving radius, 100 H^2 of it.
  [[nodiscard]] double step_in_halo(double radius, double pull) const {
    const double cap = parameters_.softening.softening_max_physical * units::kpc;
    const double softening = cap > 0 ? std::min(softening_, cap / now_) : softening_;
    return std::sqrt(2 * parameters_.time.eta * softening / (0.5 * overdensity * pull * radius));
  }

  [[nodiscard]] double step() const {
    const double longest = parameters_.time.max_dlna;
    const double radius = halos_ ? halos_->largest_radius(epoch(), particles_) : 0;
    const double wanted = radius > 0 && softening_ > 0 ? step_in_halo(radius, largest_pull) : longest;
    return std::max(std::min(longest, wanted), parameters_.time.min_step);
  }

  [[nodiscard]] double block() const {
    const double longest = parameters_.time.max_dlna;
    if (split_scale_ == 0) return longest;
    const double way = halos_ ? halos_->rms_displacement() * epoch().growth * growth_.rate(now_) : 0;
    return std::min({longest, longest_block, way > 0 ? block_displacement * split_scale_ / way : longest});
  }

  [[nodiscard]] double evaluations(double block) const {
    if (!halos_ || softening_ == 0) return 1;
    const double most = parameters_.time.min_step > 0 ? std::max(1.0, block / parameters_.time.min_step) : INFINITY;
    return halos_->mean_steps(epoch(), [&](double radius) {
      return std::clamp(rounded_to_rungs * block / step_in_halo(radius, mean_pull), 1.0, most);
    });
  }

  const Parameters& parameters_;
  Expansion expansion_;
  Growth growth_;
  bool blocks_;
  double softening_, now_, particles_, split_scale_ = 0;
  OutputSchedule schedule_;
  std::optional<ExpectedHalos> halos_;
};

}  // namespace

ExpectedSteps expected_cosmic_steps(const Parameters& parameters, const ParticleSystem& system, double softening) {
  return CosmicSteps(parameters, system, softening).count();
}

ExpectedSteps expected_newtonian_steps(const Parameters& parameters, const Simulation& started) {
  const ParticleSystem& system = started.on_host();
  const TimeParameters& time = parameters.time;
  const bool blocks = takes_block_steps(parameters, false) && started.softening() > 0;
  const double crossing = started.state().at("crossing_time");
  const double longest = time.max_dt > 0 ? time.max_dt : block_crossing * crossing;
  const double step = std::max(blocks ? longest : started.next_time() - system.time, 1e-300);
  ExpectedSteps found;
  found.steps = std::ceil((time.t_end - system.time) / step * (1 - 1e-12));
  const auto most = static_cast<double>(time.max_steps);
  found.limited = most > 0 && most < found.steps;
  if (found.limited) found.steps = most;
  found.evaluations = found.steps;
  if (!blocks || system.particles.empty()) return found;
  const RungCriterion criterion{step, step_scale(started.softening(), {.eta = time.eta}), time.min_step};
  double parts = 0;
  for (const Vec3f& a : system.particles.acceleration) parts += std::ldexp(1.0, criterion(norm(Vec3d(a))));
  found.evaluations *= parts / static_cast<double>(system.particles.size());
  return found;
}

}  // namespace multiwalk
