// SPDX-License-Identifier: GPL-3.0-or-later
// Particles that a back end keeps in a device's memory from one step to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "host/domains/domain_cuts.hpp"
#include "host/domains/strays.hpp"
#include "host/force/tree_exchange.hpp"
#include "host/mesh/shell_sums.hpp"
#include "host/particles/kick_sums.hpp"
#include "host/particles/motion.hpp"
#include "host/particles/particle_system.hpp"
#include "host/particles/rung.hpp"
#include "host/sky/passage.hpp"

namespace multiwalk {

/// The arrays that a copy updates in the store: all, or at least positions and velocities.
enum class Copied { all, motion };

/// Evaluations of the forces on the particles of a store, by their own tree, then read and write the kept copy, and the
/// store does not change: it is out of date but for ids and masses.
class ParticleKeeper {
 public:
  /// Keeps the particles of this store from now on; those of another are copied back first. The store must stay
  /// where it is. False if it cannot, or lacks the memory; nothing is kept then.
  virtual bool keep(ParticleStore& particles) = 0;
  [[nodiscard]] virtual bool keeps(const ParticleStore& particles) const = 0;
  /// Brings the store up to date, unless it is; the particles stay kept. The store may be read, but not changed.
  virtual void copy_home(Copied what) = 0;
  /// Stops keeping particles; results not yet copied to the store are lost.
  virtual void forget() noexcept = 0;

  // As host/time/leapfrog.hpp and rungs.hpp, with the same bits:
  virtual void move(const Motion& motion) = 0;
  /// kick() of all particles, then the sums, which are reproducible bit for bit.
  virtual KickSums kick_and_sum(double factor, double background) = 0;
  virtual PerRung<std::uint64_t> assign_rungs(const RungCriterion& criterion, double background, int synchronised) = 0;

  // Measurements, for which the store is neither read nor brought up to date:
  /// Sums over the modes of the density of the particles in a periodic box, for a power spectrum. Reproducible bit for
  /// bit. Returns nothing if it cannot or lacks the memory.
  /// others: of the ranks that have the rest of the particles (null: there are none), all of which call this.
  virtual std::optional<ShellSums> sum_shells(double box_size, const ShellOptions& options, TreeExchange* others) = 0;
  /// The particles that may cross the light, and perhaps some others, as long as the result is held. Null if it cannot
  /// find them, or if they are so many that they need too much memory.
  virtual std::shared_ptr<const PassingParticles> find_passing(const Passage& passage) = 0;

  // Particles that leave for other ranks and arrive from them. These functions neither read nor write the store unless
  // stated; the caller moves ids and masses.
  /// Packs the particles outside `domain` (lies_in) for their owners. `shared`: so that other ranks of this host can
  /// read them from the device, if possible. If they do not fit, they stay where they are, and the next call must be
  /// copy_home or forget.
  virtual PackedStrays pack_strays(const Box& domain, const DomainCuts& cuts, bool shared) = 0;
  /// Prepares to read what the ranks have packed. `rank`: this one. False if this rank cannot read all of it.
  virtual bool open_strays(std::span<const StrayAddress> addresses, std::size_t rank) = 0;
  /// The packed particles in host memory, and room there for `arriving` of them.
  virtual StrayMessages strays_through_host(std::size_t arriving) = 0;
  /// Follows an exchange: all strays packed last have left, and those that arrive, in the order of change.arrived, are
  /// in the blocks or, if there are none, in the room for arrivals. Potentials and the tree are lost until the next
  /// evaluation of all forces. The other ranks' blocks may be read until the second call of pack_strays from now. The
  /// store already has its new size; the ids and masses of arrivals may still be on their way. If there is too
  /// little memory, or too few particles remain, all are copied home to the store and are no longer kept.
  virtual void follow_exchange(const StoreChange& change, std::span<const StrayBlock> blocks) = 0;

 protected:
  ~ParticleKeeper() = default;
};

}  // namespace multiwalk
