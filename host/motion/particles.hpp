// SPDX-License-Identifier: GPL-3.0-or-later
// One rank's particles of a run: they are in host memory, or a device keeps them between its evaluations of forces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "host/force/force_backend.hpp"
#include "host/force/particle_keeper.hpp"
#include "host/motion/particle_view.hpp"
#include "host/particles/motion.hpp"
#include "host/particles/particle_system.hpp"
#include "host/sky/sky_counter.hpp"
#include "host/solver/gravity_solver.hpp"
#include "host/time/rungs.hpp"

namespace multiwalk {

/// Owns the particles. Whoever moves, reads, measures or exchanges them need not know where they are.
class Particles {
 public:
  /// The back end may keep them, and must outlive this.
  Particles(ParticleSystem system, ForceBackend& backend) : system_(std::move(system)), backend_(backend) {}
  ~Particles();
  Particles(const Particles&) = delete;
  Particles& operator=(const Particles&) = delete;

  [[nodiscard]] const SystemFacts& facts() const { return system_; }
  [[nodiscard]] std::size_t size() const { return system_.particles.size(); }
  void set_time(double time) { system_.time = time; }

  [[nodiscard]] ParticleView view() const { return *this; }
  /// All are up to date in host memory; a device that has them keeps them.
  [[nodiscard]] const ParticleSystem& on_host() const;
  /// The same, but accelerations, potentials and work may be older.
  [[nodiscard]] const ParticleSystem& motion_on_host() const;
  /// Ids and masses are up to date; all else may be older.
  [[nodiscard]] const ParticleStore& identities() const { return system_.particles; }

  /// Leaves them to the back end from now on, if it can keep them; returns whether it does.
  bool stay_on_device();
  [[nodiscard]] bool on_device() const { return keeper() != nullptr; }
  /// From now on they are in host memory, where they may be changed.
  ParticleStore& come_home();
  /// Other particles in their place, in host memory.
  void replace(ParticleSystem system);
  /// Gives them away; none are left.
  [[nodiscard]] ParticleSystem release();

  // As host/time/leapfrog.hpp and host/time/rungs.hpp, with the same bits wherever they are.
  void move(const Motion& motion);
  PerRung<std::uint64_t> assign_rungs(const RungCriterion& criterion, double background, int synchronised);
  /// |acceleration + background x| of the particle that feels the strongest pull. On a device only after an evaluation
  /// of forces there.
  [[nodiscard]] double largest_pull(double background) const;
  /// Kicks and sums, if a device keeps the particles; nothing has changed otherwise.
  std::optional<KickSums> kick_and_sum_on_device(double factor, double background);

  /// Forces on them, as GravitySolver::accelerate.
  ForceStatistics accelerate(GravitySolver& gravity, const PairLaw& law, const ForceContext& context) {
    return gravity.accelerate(system_.particles, law, context);
  }

  // Measurements by the device that keeps the particles; nothing if none does or it cannot make them.
  [[nodiscard]] std::optional<ShellSums> sum_shells(const ShellOptions& options, TreeExchange* others) const;
  /// Those that may cross the light, and a counter of those that do.
  [[nodiscard]] std::shared_ptr<const PassingParticles> find_passing(const Passage& passage) const;
  [[nodiscard]] SkyCounter* sky_counter() const;

  /// Their store and who has them at present (null: the store), for exchanges between ranks.
  struct Location {
    ParticleStore& store;
    ParticleKeeper* keeper;
    [[nodiscard]] bool on_device() const { return keeper != nullptr; }
  };
  [[nodiscard]] Location location() { return {system_.particles, keeper()}; }

 private:
  friend class ParticleView;

  [[nodiscard]] ParticleKeeper* keeper() const;

  ParticleSystem system_;
  ForceBackend& backend_;
};

}  // namespace multiwalk
