// SPDX-License-Identifier: GPL-3.0-or-later
// Particles that a back end keeps in a device's memory from one step to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "host/force/tree_exchange.hpp"
#include "host/gravity/pair_law.hpp"
#include "host/mesh/mesh_force_options.hpp"
#include "host/mesh/shell_sums.hpp"
#include "host/particles/domain_cuts.hpp"
#include "host/particles/particle_system.hpp"
#include "host/particles/passage.hpp"
#include "host/particles/rung.hpp"
#include "host/particles/sky_counter.hpp"
#include "host/particles/strays.hpp"

namespace multiwalk {

/// Sums over particles that have just been kicked, in double precision.
struct KickSums {
  double velocity_square = 0;  ///< sum m u^2
  double pair_potential = 0;   ///< sum m phi
  double position_square = 0;  ///< sum m x^2
  double largest_pull2 = 0;    ///< largest |acceleration + background x|^2, infinite if one is not finite
};

/// Evaluations of the forces on the particles of a store, by their own tree, then read and write the kept copy, and the
/// store does not change. Kicks, drifts and rungs are those of host/time/leapfrog.hpp and rungs.hpp, with the same
/// bits.
class ParticleKeeper {
 public:
  virtual ~ParticleKeeper() = default;

  /// Keeps the particles of this store from now on; those of another are copied back first. The store must stay
  /// where it is. False if it cannot, or lacks the memory; nothing is kept then.
  virtual bool keep(ParticleStore& particles) = 0;
  [[nodiscard]] virtual bool keeps(const ParticleStore& particles) const = 0;

  virtual void kick_and_drift(double kick_factor, double background, double drift_factor) = 0;
  /// kick() of all particles, then the sums, which are reproducible bit for bit.
  virtual KickSums kick_and_sum(double factor, double background) = 0;
  virtual void drift(double factor) = 0;
  /// Wraps positions into the periodic box, 0 <= x < side.
  virtual void wrap(double side) = 0;

  // For a store with rungs:
  virtual PerRung<std::uint64_t> assign_rungs(const RungCriterion& criterion, double background, int synchronised) = 0;
  virtual void kick_rungs(const PerRung<double>& factor, double background, int least) = 0;
  virtual void kick_long_range(double factor) = 0;

  /// Adds the contribution of the mesh, as MeshBackend, to accelerations and potentials; with rungs, it becomes
  /// long_range. False: nothing has changed.
  virtual bool add_mesh_force(const PairLaw& law, const MeshForceOptions& options, TreeExchange* others) = 0;

  /// Sums over the modes of the density of the particles in a periodic box, for a power spectrum: the store is neither
  /// read nor brought up to date. Reproducible bit for bit. Returns nothing if it cannot or lacks the memory.
  virtual std::optional<ShellSums> sum_shells(double box_size, const ShellOptions& options) = 0;

  // Particles that leave for other ranks and arrive from them. These functions neither read nor write the store unless
  // stated; the caller moves ids and masses.
  /// Packs the particles outside `domain` (lies_in) for their owners. `shared`: so that other ranks of this host can
  /// read them from the device, if possible. If they do not fit, they stay where they are, and the next call must be
  /// copy_home or forget.
  virtual PackedStrays pack_strays(const Box& domain, const DomainCuts& cuts, bool shared) = 0;
  /// Bytes of a packed particle, which begins with its position (Vec3d).
  [[nodiscard]] virtual std::size_t stray_bytes() const = 0;
  /// The packed particles in host memory.
  virtual std::span<const std::byte> strays_on_host() = 0;
  /// Prepares to read what the ranks have packed. `rank`: this one. False if this rank cannot read all of it.
  virtual bool open_strays(std::span<const StrayAddress> addresses, std::size_t rank) = 0;
  /// Host memory for this number of packed particles.
  virtual std::span<std::byte> room_for_arrivals(std::size_t count) = 0;
  /// Follows an exchange: all strays packed last have left, and those that arrive, in the order of change.arrived, are
  /// in the blocks or, if there are none, in the room for arrivals. Potentials and the tree are lost until the next
  /// evaluation of all forces. The other ranks' blocks may be read until the second call of pack_strays from now. The
  /// store already has its new size; the ids and masses of arrivals may still be on their way. If there is too
  /// little memory, or too few particles remain, all are copied home to the store and are no longer kept.
  virtual void follow_exchange(const StoreChange& change, std::span<const StrayBlock> blocks) = 0;

  /// Brings the store up to date, unless it is; the particles stay kept. The store may be read, but not changed.
  virtual void copy_home() = 0;
  /// Stops keeping particles; results not yet copied to the store are lost.
  virtual void forget() noexcept = 0;
  /// Brings at least positions and velocities up to date in the store.
  virtual void copy_motion_home() { copy_home(); }
  /// The particles that may cross the light, and perhaps some others, as long as the result is held; the store is
  /// neither read nor brought up to date. Null if it cannot find them, or if they are so many that they need too much
  /// memory.
  virtual std::shared_ptr<const PassingParticles> find_passing(const Passage& /*passage*/) { return nullptr; }
  /// Counts the kept particles that cross the light, in maps that remain when particles are no longer kept. Null if it
  /// cannot.
  virtual SkyCounter* sky_counter() { return nullptr; }
};

/// Read access to one rank's particles, wherever they are. Never owns; valid until the particles move.
class ParticleView {
 public:
  /// `keeper`: has the particles of this system; null: the store has them.
  // NOLINTNEXTLINE(google-explicit-constructor): particles in host memory can be read as they are
  ParticleView(const ParticleSystem& system, ParticleKeeper* keeper = nullptr) : system_(&system), keeper_(keeper) {}
  ParticleView(ParticleSystem&&, ParticleKeeper* = nullptr) = delete;

  [[nodiscard]] const SystemFacts& facts() const { return *system_; }
  [[nodiscard]] std::size_t size() const { return system_->particles.size(); }
  /// True if reading them takes a copy from a device.
  [[nodiscard]] bool on_device() const { return keeper_ != nullptr; }

  /// All particles in host memory, up to date.
  [[nodiscard]] const ParticleSystem& on_host() const {
    if (keeper_ != nullptr) keeper_->copy_home();
    return *system_;
  }
  /// The same, but accelerations, potentials and work may be older.
  [[nodiscard]] const ParticleSystem& motion_on_host() const {
    if (keeper_ != nullptr) keeper_->copy_motion_home();
    return *system_;
  }
  /// ParticleKeeper::sum_shells, on a device; nothing if it cannot, or does not have the particles.
  [[nodiscard]] std::optional<ShellSums> sum_shells(const ShellOptions& options) const {
    return keeper_ != nullptr ? keeper_->sum_shells(system_->box_size, options) : std::nullopt;
  }

 private:
  const ParticleSystem* system_;
  ParticleKeeper* keeper_;
};

}  // namespace multiwalk
