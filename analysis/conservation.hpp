// Energy, momentum and the Layzer-Irvine balance.
#pragma once

#include "host/base/vec3.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// Sums over particles in double precision. Comoving: kinetic = 1/2 sum m v_pec^2, v_pec = p/a; potential = physical, with
/// the background of a vacuum sphere included (not halved). Newtonian: plain T and W.
struct EnergySums {
  double kinetic = 0;
  double potential = 0;
  Vec3d momentum;
  Vec3d angular_momentum;
};

/// `background` is 1/2 Omega_m H0^2 for a comoving vacuum sphere (centre at the origin), else 0.
EnergySums energy_sums(const ParticleSystem& system, double background);

/// Layzer-Irvine: a(T+U) + int T da = constant, integrated by the trapezoid rule over the steps given to `add`.
class LayzerIrvine {
 public:
  void add(double a, const EnergySums& sums, double homogeneous_potential);
  /// |a(T+U) + int T da - initial| / (a (T + |U - U_homogeneous|)) now.
  [[nodiscard]] double relative_violation() const;

  struct State {
    bool started = false;
    double initial = 0, integral = 0, last_a = 0, last_kinetic = 0, violation = 0;
  };
  [[nodiscard]] const State& state() const { return state_; }
  void restore(const State& state) { state_ = state; }

 private:
  State state_;
};

}  // namespace multiwalk
