// SPDX-License-Identifier: GPL-3.0-or-later
// Owners of particles as Python knows them: runs, initial conditions, snapshots.
#pragma once

#include <cstdint>
#include <utility>

#include "run/python/lent_arrays.hpp"
#include "run/python/measured_system.hpp"

namespace multiwalk {

class ParticleOwner {
 public:
  virtual ~ParticleOwner() = default;
  /// The particles as they are now. Throws InputError if the owner was closed. Collective where there are other ranks.
  virtual MeasuredSystem measured() = 0;

  /// Increases whenever particles move: arrays of an earlier generation are stale.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  LentArrays& lent() { return lent_; }

 protected:
  /// Call before particles move or are freed.
  void begin_generation() {
    ++generation_;
    lent_.leave();
  }

 private:
  std::uint64_t generation_ = 0;
  LentArrays lent_;
};

/// Particles that stay as they are.
class StillParticles final : public ParticleOwner {
 public:
  StillParticles(ParticleSystem system, const CosmologyParameters& cosmology, std::string transfer_file = "",
                 const Communicator& comm = {})
      : system_(std::move(system)), cosmology_(cosmology), transfer_file_(std::move(transfer_file)), comm_(comm) {}
  ~StillParticles() override { begin_generation(); }

  MeasuredSystem measured() override { return {system_, cosmology_, transfer_file_, {}, 0, comm_}; }

 private:
  ParticleSystem system_;
  CosmologyParameters cosmology_;
  std::string transfer_file_;
  Communicator comm_;
};

}  // namespace multiwalk
