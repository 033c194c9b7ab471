// SPDX-License-Identifier: GPL-3.0-or-later
// From a load and a seed to displaced particles. The field is made at z = 0 and scaled back with the run's own growth.
#include "ic/models/realisation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "decomposition/ranks/agree.hpp"
#include "host/base/units.hpp"
#include "host/cosmology/growth.hpp"
#include "ic/fields/gaussian_field.hpp"
#include "ic/lpt/displacement.hpp"

namespace multiwalk {

namespace {

double start_factor(const IcOptions& ic) {
  if (!(ic.z_start >= 0 && ic.z_start < 1e6)) throw SharedError("ic.z_start must lie between 0 and 1e6");
  return 1 / (1 + ic.z_start);
}

/// Growth from today, where delta is normalised, to a. D2 scales as the square of delta, D3 as its cube.
LptFactors lpt_factors(const CosmologyParameters& cosmology, double a, int order) {
  if (order < 1 || order > 3) throw SharedError("ic.lpt_order must be 1, 2 or 3");
  const Expansion expansion(cosmology);
  const Growth growth(expansion);
  const double today = growth.factor(1);
  const double momentum = a * a * expansion.hubble(a);
  LptFactors factors;
  factors.position1 = growth.factor(a) / today;
  factors.momentum1 = momentum * growth.rate(a) * factors.position1;
  if (order >= 2) {
    factors.position2 = growth.second_factor(a) / (today * today);
    factors.momentum2 = momentum * growth.second_rate(a) * factors.position2;
  }
  if (order == 3) {
    const auto term = [&](Growth::Third which) {
      const double position = growth.third_factor(which, a) / (today * today * today);
      return LptTerm{position, momentum * growth.third_rate(which, a) * position};
    };
    factors.determinant = term(Growth::Third::determinant);
    factors.mixed = term(Growth::Third::mixed);
    factors.transverse = term(Growth::Third::transverse);
  }
  return factors;
}

/// A comoving system without its particles.
ParticleSystem comoving_frame(const Load& load, double a) {
  ParticleSystem system;
  system.frame = Frame::comoving;
  system.time = a;
  system.box_size = load.box_size;
  system.spacing = load.spacing();
  return system;
}

void set_masses(ParticleStore& particles, const Load& load, const CosmologyParameters& cosmology) {
  const double volume = load.cell() * load.cell() * load.cell() / load.lattices;
  const double mass = cosmology.omega_m * units::critical_density * volume;
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < particles.size(); ++p) particles.mass[p] = static_cast<float>(mass);
}

}  // namespace

double realisation_side(const ModelOptions& model) {
  return model.box_size > 0 ? model.box_size : 2 * model.radius;
}

ParticleSystem unperturbed(const Load& load, const IcOptions& ic, const CosmologyParameters& cosmology,
                           const Communicator& comm) {
  ParticleSystem system = comoving_frame(load, start_factor(ic));
  ParticleStore& particles = system.particles;
  collectively(comm, [&] { particles.resize(load.site.size()); });
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < load.site.size(); ++p) particles.position[p] = load.position(p);
  particles.id = load.site;
  set_masses(particles, load, cosmology);
  return system;
}

ParticleSystem realise(Load load, std::uint64_t seed, const IcOptions& ic, const CosmologyParameters& cosmology,
                       const ModelProgress& progress, const Communicator& comm) {
  const double a = start_factor(ic);
  const LptFactors factors = collectively(comm, [&] { return lpt_factors(cosmology, a, ic.lpt_order); });
  const LinearPower power = collectively(comm, [&] { return LinearPower::of(cosmology, ic.transfer_file); });
  const double corner = std::sqrt(3.0) * std::numbers::pi / load.cell();
  const std::string warning = power.warning(corner);
  if (progress && !warning.empty()) progress(warning, -1);
  if (progress) progress(power.description(), 2);

  if (progress) progress("density field", 0);
  PencilMesh delta =
      gaussian_field(load.cells, load.box_size, power, {seed, ic.fixed_amplitude, ic.paired, ic.random}, comm);
  ParticleSystem system = comoving_frame(load, a);
  displace(std::move(delta), factors, load, system.particles, progress);
  set_masses(system.particles, load, cosmology);
  system.particles.id = std::move(load.site);
  return system;
}

}  // namespace multiwalk
