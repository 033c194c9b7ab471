// SPDX-License-Identifier: GPL-3.0-or-later
// Read access to the particles of a rank, for outputs and measurements.
#pragma once

#include <cstddef>
#include <optional>

#include "host/force/tree_exchange.hpp"
#include "host/mesh/shell_sums.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

class Particles;

/// Reads particles that are in host memory, or where `Particles` keeps them. Never owns; valid until they move.
class ParticleView {
 public:
  // NOLINTBEGIN(google-explicit-constructor): both can be read as they are
  ParticleView(const ParticleSystem& system) : system_(&system) {}
  ParticleView(const Particles& particles);
  // NOLINTEND(google-explicit-constructor)
  ParticleView(ParticleSystem&&) = delete;

  [[nodiscard]] const SystemFacts& facts() const { return *system_; }
  [[nodiscard]] std::size_t size() const { return system_->particles.size(); }
  /// True if reading them takes a copy from a device.
  [[nodiscard]] bool on_device() const;

  /// All particles in host memory, up to date.
  [[nodiscard]] const ParticleSystem& on_host() const;
  /// The same, but accelerations, potentials and work may be older.
  [[nodiscard]] const ParticleSystem& motion_on_host() const;
  /// Sums over the modes of the density of a box, for a power spectrum, by the device that has the particles; nothing
  /// if it cannot, or none has them. others: of the ranks that have the rest of them; null: there are none.
  [[nodiscard]] std::optional<ShellSums> sum_shells(const ShellOptions& options, TreeExchange* others) const;

 private:
  const ParticleSystem* system_;
  const Particles* particles_ = nullptr;  ///< has them; null: the system
};

}  // namespace multiwalk
