// SPDX-License-Identifier: GPL-3.0-or-later
// Energy, momentum and the Layzer-Irvine balance.
#pragma once

#include <cstddef>
#include <functional>

#include "decomposition/ranks/communicator.hpp"
#include "host/base/vec3.hpp"
#include "host/particles/bodies.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// Sums over particles in double precision. Comoving: kinetic = 1/2 sum m v_pec^2, v_pec = p/a; potential = physical,
/// with the background of a vacuum sphere included (not halved). Newtonian: plain T and W.
struct EnergySums {
  double kinetic = 0;
  double potential = 0;

  [[nodiscard]] double total() const { return kinetic + potential; }
};

/// Sums over some particles, or Bodies, from which energies follow.
struct EnergyParts {
  double velocity_square = 0;  ///< sum m u^2
  double pair_potential = 0;   ///< sum m phi
  double position_square = 0;  ///< sum m x^2

  EnergyParts& operator+=(const EnergyParts& other) {
    velocity_square += other.velocity_square;
    pair_potential += other.pair_potential;
    position_square += other.position_square;
    return *this;
  }
};

/// Throws SharedError unless both are finite: bodies flew apart, or their units leave the range of numbers.
void require_finite(const EnergySums& sums, double time);
/// Throws SharedError, on every rank, unless all positions and velocities and their squares are finite. Collective.
void require_finite(const Bodies& bodies, double time, const Communicator& comm = {});

/// The energy to which errors of the energy are relative: its first value or, if kinetic and potential energy nearly
/// cancelled then, 1% of their sizes. If both were zero: their sizes `now`.
struct EnergyScale {
  double value;
  const char* name;
};
EnergyScale energy_scale(const EnergySums& first, const EnergySums& now);
/// |energy now - first energy| / that scale; 0 if there is no energy.
double energy_error(const EnergySums& first, const EnergySums& now);

struct MomentumSums {
  Vec3d linear;   ///< sum m v
  Vec3d angular;  ///< sum m x cross v about the origin
};

/// Sums over all ranks, on every rank. `background` is 1/2 Omega_m H0^2 for a comoving vacuum sphere (centre at the
/// origin), else 0. Bitwise the same for any number of threads, and every time for the same ranks. Collective.
/// Calls before(first, last) ahead of particles first...last - 1, from all threads: what still changes them reads them
/// but once; and summed() when this rank's are summed, ahead of the other ranks'.
EnergySums energy_sums(const ParticleSystem& system, double background, const Communicator& comm = {},
                       const std::function<void(std::size_t first, std::size_t last)>& before = nullptr,
                       const std::function<void()>& summed = nullptr);

/// Energies of all ranks from the sums over the particles of this rank. Collective.
EnergySums energy_sums(const EnergyParts& own, const SystemFacts& system, double background,
                       const Communicator& comm = {});

/// Energies of bodies whose potentials belong to their current positions: plain T and W. Collective.
EnergySums energy_sums(const Bodies& bodies, const Communicator& comm = {});
/// Collective.
MomentumSums momentum_sums(const Bodies& bodies, const Communicator& comm = {});

/// Potential of a homogeneous sphere in the same convention: -(3/5)(G M^2/R + 1/2 background M R^2)/a, which is
/// -(9/10) G M^2/(R a) where background = G M/R^3. For LayzerIrvine's scale.
double homogeneous_sphere_potential(double gravitational_constant, double mass, double radius, double background,
                                    double a);

/// Layzer-Irvine: a(T+U) + int T da = constant, integrated by the trapezoid rule over the steps given to `add`.
class LayzerIrvine {
 public:
  void add(double a, const EnergySums& sums, double homogeneous_potential);
  /// |a(T+U) + int T da - initial| / (a (T + |U - U_homogeneous|)) now.
  [[nodiscard]] double relative_violation() const;

  struct State {  ///< for checkpoints
    bool started = false;
    double initial = 0, integral = 0, last_a = 0, last_kinetic = 0, violation = 0;
  };
  [[nodiscard]] const State& state() const { return state_; }
  void restore(const State& state) { state_ = state; }

 private:
  State state_;
};

}  // namespace multiwalk
