// SPDX-License-Identifier: GPL-3.0-or-later
// Comoving equations (Quinn et al. 1997): p = a^2 dx/dt, dp/dt = -grad(Phi)/(m a) with the comoving potential energy
//   Phi = 1/2 sum m phi - 1/2 background sum m x^2,   phi = -G sum m/R,   background = 1/2 Omega_m H0^2,
// so H = T + U with T = sum m p^2/(2 a^2), U = Phi/a, and dH/dt = -(da/dt/a)(2T + U): a(T + U) + int T da is constant.
#include "analysis/conservation/conservation.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include "decomposition/ranks/agree.hpp"

namespace multiwalk {

namespace {

/// Particles per partial sum: fixed, so that the result does not depend on the number of threads.
constexpr std::size_t block_size = 4096;

/// Store: ParticleStore or Bodies.
struct OwnEnergy : EnergyParts {
  template <class Store>
  void add(const Store& particles, std::size_t i) {
    const double mass = particles.mass[i];
    velocity_square += mass * norm2(static_cast<Vec3d>(particles.velocity[i]));
    pair_potential += mass * static_cast<double>(particles.potential[i]);
    position_square += mass * norm2(particles.position[i]);
  }
};

struct MomentumParts : MomentumSums {
  void add(const Bodies& bodies, std::size_t i) {
    linear += bodies.mass[i] * bodies.velocity[i];
    angular += bodies.mass[i] * cross(bodies.position[i], bodies.velocity[i]);
  }
  MomentumParts& operator+=(const MomentumParts& other) {
    linear += other.linear;
    angular += other.angular;
    return *this;
  }
};

/// Pairwise sum in a fixed order.
template <class Parts>
Parts sum_pairwise(std::span<const Parts> blocks) {
  if (blocks.empty()) return {};
  if (blocks.size() == 1) return blocks[0];
  Parts sums = sum_pairwise(blocks.first(blocks.size() / 2));
  sums += sum_pairwise(blocks.subspan(blocks.size() / 2));
  return sums;
}

/// Over all particles of this rank; before(first, last) is called ahead of particles first...last - 1.
template <class Parts, class Store, class Before>
Parts sum_own(const Store& particles, const Before& before) {
  std::vector<Parts> blocks((particles.size() + block_size - 1) / block_size);
#pragma omp parallel for schedule(static)
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::size_t last = std::min((b + 1) * block_size, particles.size());
    before(b * block_size, last);
    Parts parts;
    for (std::size_t i = b * block_size; i < last; ++i) parts.add(particles, i);
    blocks[b] = parts;
  }
  return sum_pairwise(std::span<const Parts>(blocks));
}

template <class Parts, class Store>
Parts sum_own(const Store& particles) {
  return sum_own<Parts>(particles, [](std::size_t, std::size_t) {});
}

template <class Parts>
Parts sum_ranks(const Parts& own, const Communicator& comm) {
  const std::vector<Parts> ranks = comm.all_gather(own);
  return sum_pairwise(std::span<const Parts>(ranks));
}

}  // namespace

void require_finite(const EnergySums& sums, double time) {
  if (std::isfinite(sums.kinetic) && std::isfinite(sums.potential)) return;
  std::ostringstream text;
  text << "at time " << time << " the energy is not finite (kinetic " << sums.kinetic << ", potential "
       << sums.potential << "): steps were too long, or positions, velocities or masses are out of range; an earlier "
       << "checkpoint, if there is one, is as it was";
  throw SharedError(text.str());
}

void require_finite(const Bodies& bodies, double time, const Communicator& comm) {
  bool finite = true;
#pragma omp parallel for schedule(static) reduction(&& : finite)
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    finite = finite && std::isfinite(norm2(bodies.position[i])) && std::isfinite(norm2(bodies.velocity[i]));
  }
  if (!comm.any(!finite)) return;
  std::ostringstream text;
  text << "at time " << time << " a position or velocity or its square is not finite: steps were too long, or "
       << "positions, velocities or masses are out of range; an earlier checkpoint, if there is one, remains usable";
  throw SharedError(text.str());
}

EnergyScale energy_scale(const EnergySums& first, const EnergySums& now) {
  constexpr double cancelled = 0.01;
  const auto sizes = [](const EnergySums& sums) { return sums.kinetic + std::fabs(sums.potential); };
  if (sizes(first) == 0) return {sizes(now), "the kinetic and potential energy"};
  const double value = std::fabs(first.total()), least = cancelled * sizes(first);
  if (value >= least) return {value, "its first value"};
  return {least, "1 % of the first kinetic and potential energy"};
}

double energy_error(const EnergySums& first, const EnergySums& now) {
  const double difference = std::fabs(now.total() - first.total());
  return difference == 0 ? 0 : difference / energy_scale(first, now).value;
}

EnergySums energy_sums(const ParticleSystem& system, double background, const Communicator& comm,
                       const std::function<void(std::size_t first, std::size_t last)>& before,
                       const std::function<void()>& summed) {
  const ParticleStore& particles = system.particles;
  const auto own = before ? sum_own<OwnEnergy>(particles, before) : sum_own<OwnEnergy>(particles);
  if (summed) summed();
  return energy_sums(own, system, background, comm);
}

EnergySums energy_sums(const EnergyParts& own, const SystemFacts& system, double background, const Communicator& comm) {
  const EnergyParts sums = sum_ranks(own, comm);
  const double a = system.frame == Frame::comoving ? system.time : 1;
  EnergySums energy;
  energy.kinetic = 0.5 * sums.velocity_square / (a * a);
  energy.potential = 0.5 * (sums.pair_potential - background * sums.position_square) / a;
  return energy;
}

EnergySums energy_sums(const Bodies& bodies, const Communicator& comm) {
  const auto sums = sum_ranks<EnergyParts>(sum_own<OwnEnergy>(bodies), comm);
  return {0.5 * sums.velocity_square, 0.5 * sums.pair_potential};
}

MomentumSums momentum_sums(const Bodies& bodies, const Communicator& comm) {
  return sum_ranks(sum_own<MomentumParts>(bodies), comm);
}

double homogeneous_sphere_potential(double gravitational_constant, double mass, double radius, double background,
                                    double a) {
  if (!(radius > 0)) return 0;
  return -0.6 * mass * (gravitational_constant * mass / radius + 0.5 * background * radius * radius) / a;
}

void LayzerIrvine::add(double a, const EnergySums& sums, double homogeneous_potential) {
  const double energy = a * (sums.kinetic + sums.potential);
  if (!state_.started) {
    state_ = {true, energy, 0, a, sums.kinetic, 0};
    return;
  }
  state_.integral += 0.5 * (sums.kinetic + state_.last_kinetic) * (a - state_.last_a);
  state_.last_a = a;
  state_.last_kinetic = sums.kinetic;
  const double scale = a * (sums.kinetic + std::fabs(sums.potential - homogeneous_potential));
  const double difference = std::fabs(energy + state_.integral - state_.initial);
  state_.violation = difference == 0 ? 0 : difference / scale;
}

double LayzerIrvine::relative_violation() const {
  return state_.violation;
}

}  // namespace multiwalk
